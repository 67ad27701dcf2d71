/** Lists on pages: filtered by forms that go into the address, where they can be bookmarked and paged through. */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type * as z from 'zod'
import type { ErrorDetail } from '../http/errors.ts'
import { checked, type Fields } from '../http/validate.ts'
import { Problem } from './parts.tsx'

/** What the address asks a list for. A field of the form that was left blank asks for nothing. */
export const readFilters = <S extends z.ZodType<object>>(c: Context, schema: S) => {
  const typed = Object.entries(c.req.query()).filter(([, value]) => value.trim() !== '')
  const fields: Fields = Object.fromEntries(typed)
  return { fields, ...checked(schema, fields) }
}

type Props = {
  /** What is looked through, such as "partners". */
  what: string
  path: string
  fields: Fields
  errors: ErrorDetail[] | undefined
  /** Filters that come from links and have no field of their own, and what they are in words. */
  kept?: Record<string, string>
  children: Child
}

/** The form over a list, and what is wrong with it. */
export const Filters = ({ what, path, fields, errors, kept = {}, children }: Props) => {
  const set = Object.keys(fields).filter((name) => name !== 'limit')
  const links = Object.keys(kept).filter((name) => fields[name] !== undefined)
  return (
    <search>
      <Problem message={errors && 'That is nothing to look for. Please look at the filters again.'} />
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
          {links.map((name) => `${kept[name]} `)}
          <a href={path}>Show all {what}</a>
        </p>
      )}
    </search>
  )
}
