/** Which part of a list is wanted. Lists are newest first: ids are in the order of creation. */
export type Slice = {
  /** The last row of the page before: the list goes on with what is older. */
  cursor?: string | undefined
  limit: number
}
