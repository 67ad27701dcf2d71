/** Filters of list pages. They live in the URL, so that a filtered list can be bookmarked and paged through. */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type * as z from 'zod'
import type { ErrorDetail } from '../http/errors.ts'
import { checked, type Fields } from '../http/validate.ts'
import { NextPage, Problem } from './parts.tsx'

/** Reads and checks the filters in the URL. Blank fields are ignored. */
export const readFilters = <S extends z.ZodType<object>>(c: Context, schema: S) => {
  const typed = Object.entries(c.req.query()).filter(([, value]) => value.trim() !== '')
  const fields: Fields = Object.fromEntries(typed)
  return { fields, ...checked(schema, fields) }
}

/** Fields of a list's URL that don't filter it. */
const UNFILTERED = ['limit', 'cursor', 'sort', 'order', 'currency', 'done']

/** Whether the fields leave anything out of a list. */
export const areFilters = (fields: Fields): boolean =>
  Object.keys(fields).some((name) => !UNFILTERED.includes(name))

/** Below a list: the link to its next page, and one that downloads all of it as CSV, with its filters. */
export const ListEnd = ({
  url,
  cursor,
  slug,
  list,
  fields = {},
  isEmpty,
}: {
  url: string
  cursor: string | null
  /** The workspace's. */
  slug: string
  /** Its name in the API. */
  list: string
  fields?: Fields
  isEmpty: boolean
}) => {
  if (isEmpty) return null
  const filters = Object.entries(fields).filter(([name]) => !UNFILTERED.includes(name))
  const query = new URLSearchParams(filters).toString()
  return (
    <>
      <NextPage url={url} cursor={cursor} />
      <p>
        <a download href={`/api/workspaces/${slug}/export/${list}.csv${query && `?${query}`}`}>
          Download as CSV
        </a>
      </p>
    </>
  )
}

type Props = {
  /** The items in the list, such as "partners". */
  what: string
  path: string
  fields: Fields
  errors: ErrorDetail[] | undefined
  /** Filters that are set by links and have no field, with the notice that each shows. */
  linked?: Record<string, string>
  children: Child
}

/** The filter form above a list. */
export const Filters = ({ what, path, fields, errors, linked = {}, children }: Props) => {
  const set = Object.keys(fields).filter((name) => !UNFILTERED.includes(name))
  const links = Object.keys(linked).filter((name) => fields[name] !== undefined)
  return (
    <search>
      <Problem message={errors && 'These filters are not valid. Check them and try again.'} />
      <form class="filters" method="get" action={path}>
        {children}
        {links.map((name) => (
          <input type="hidden" name={name} value={fields[name]} />
        ))}
        <button type="submit" class="quiet">
          Filter<span class="hidden"> {what}</span>
        </button>
      </form>
      {set.length > 0 && (
        <p class="hint">
          {links.map((name) => `${linked[name]} `)}
          <a href={path}>Show all {what}</a>
        </p>
      )}
    </search>
  )
}

/** An empty list: no matches, or `children` when nothing is filtered. */
export const Empty = ({
  what,
  isFiltered,
  children,
}: {
  /** The items in the list, such as "partners". */
  what: string
  isFiltered: boolean
  children: Child
}) => <p class="empty">{isFiltered ? `No ${what} match these filters.` : children}</p>
