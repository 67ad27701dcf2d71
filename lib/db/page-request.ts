/** A page of a list. Lists are newest first: ids sort by creation time. */
export type PageRequest = {
  /** The id of the last row of the previous page. */
  cursor?: string | undefined
  limit: number
}

/** A page of a list that can start with its oldest rows. */
export type OrderedPageRequest = PageRequest & { order?: 'desc' | 'asc' | undefined }

/** How the ids of a page compare with its cursor. */
export const afterCursor = ({ order }: OrderedPageRequest): '<' | '>' =>
  order === 'asc' ? '>' : '<'
