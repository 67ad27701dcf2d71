/** A page of a list. Lists are newest first: ids sort by creation time. */
export type PageRequest = {
  /** The id of the last row of the previous page. */
  cursor?: string | undefined
  limit: number
}
