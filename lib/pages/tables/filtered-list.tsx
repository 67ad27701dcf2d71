/** A list with filters in the URL: reads it, and renders the page around its rows. */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type * as z from 'zod'
import type { ErrorDetail } from '../../http/errors.ts'
import { type Listed, page } from '../../http/lists.ts'
import type { Fields } from '../../http/validate.ts'
import type { Workspace } from '../../tenancy/workspaces/workspaces.queries.ts'
import type { Shown } from '../layout/text.ts'
import { areFilters, Empty, type Filter, Filters, ListEnd, readFilters } from './filters.tsx'

type Row = { id: string }

export type FilteredList<R> = Listed<R> & { fields: Fields; errors: ErrorDetail[] | undefined }

/**
 * Reads the list of the URL. It is empty if a filter is invalid.
 *
 * @param read reads one row more than a page has, which shows whether there is a next page
 * @returns `request` is the parsed query, if that is valid
 */
export const readList = async <S extends z.ZodType<{ limit: number }>, R extends Row>(
  c: Context,
  schema: S,
  read: (request: z.output<S>) => Promise<R[]>,
): Promise<FilteredList<R> & { request: z.output<S> | undefined }> => {
  const { fields, data, errors } = readFilters(c, schema)
  const rows = data ? await read({ ...data, limit: data.limit + 1 }) : []
  return { ...page(rows, data?.limit ?? 0), fields, errors, request: data }
}

type Props = {
  workspace: Workspace
  /** The name of the list in the API. */
  name: string
  /** The page below the workspace's path, if it has another name. */
  path?: string
  /** The items in the list, such as "partners". */
  what: Shown
  list: FilteredList<unknown>
  url: string
  filters: Filter[]
  linked?: Record<string, string>
  /** Between the filters and the rows. */
  note?: Child
  /** Why the list is empty without filters. */
  none: Child
  /** Why it is empty with filters, if there is more to say. */
  noMatches?: Child
  children: Child
}

/** The filters, the rows or why there are none, and the links to the next page and the file. */
export const FilteredRows = (props: Props) => {
  const { workspace, name, path = name, what, list, url, filters, linked, note, none } = props
  const { data, nextCursor, fields, errors } = list
  const isEmpty = data.length === 0
  return (
    <>
      <Filters
        path={`/app/${workspace.slug}/${path}`}
        {...{ what, fields, errors, filters }}
        {...(linked && { linked })}
      />
      {note}
      {isEmpty ? (
        <Empty what={what} isFiltered={areFilters(fields)} noMatches={props.noMatches}>
          {none}
        </Empty>
      ) : (
        props.children
      )}
      <ListEnd
        cursor={nextCursor}
        slug={workspace.slug}
        list={name}
        {...{ url, fields, isEmpty }}
      />
    </>
  )
}
