/** Filters of lists. They are in the URL, so that a filtered list has bookmarks and pages. */

import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type * as z from 'zod'
import type { ErrorDetail } from '../../http/errors.ts'
import { checked, type Fields } from '../../http/validate.ts'
import type { Translate } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { QuietButton } from '../forms/buttons.tsx'
import { Field, type Option, Select } from '../forms/fields.tsx'
import { Problem } from '../layout/parts.tsx'
import { type Shown, shown, t } from '../layout/text.ts'
import { hidden } from '../parts/tags.tsx'
import { NextPage } from './table.tsx'

/** Reads and checks the filters in the URL. Blank fields are ignored. */
export const readFilters = <S extends z.ZodType<object>>(c: Context, schema: S) => {
  const typed = Object.entries(c.req.query()).filter(([, value]) => value.trim() !== '')
  const fields: Fields = Object.fromEntries(typed)
  return { fields, ...checked(schema, fields) }
}

/** Fields of a list's URL that don't filter it. */
const UNFILTERED = ['limit', 'cursor', 'sort', 'order', 'currency', 'done']

/** Whether the fields filter a list. */
export const areFilters = (fields: Fields): boolean =>
  Object.keys(fields).some((name) => !UNFILTERED.includes(name))

type ListEndProps = {
  url: string
  cursor: string | null
  slug: string
  /** The list's name in the API. */
  list: string
  fields?: Fields
  isEmpty: boolean
}

/** Below a list: links to its next page, and to a CSV file of the whole filtered list. */
export const ListEnd = ({ url, cursor, slug, list, fields = {}, isEmpty }: ListEndProps) => {
  if (isEmpty) return null
  const filters = Object.entries(fields).filter(([name]) => !UNFILTERED.includes(name))
  const query = new URLSearchParams(filters).toString()
  return (
    <>
      <NextPage url={url} cursor={cursor} />
      <p>
        <a download href={`/api/workspaces/${slug}/export/${list}.csv${query && `?${query}`}`}>
          {t(m.layout_download_csv)}
        </a>
      </p>
    </>
  )
}

/** The option without an effect. */
export const ANY = { value: '', label: m.layout_any }

/** A control of the filter form: a select if it has options, else a search field. */
export type Filter = {
  name: string
  label: Shown
  options?: readonly Option[]
  maxlength?: number
  /** The value instead of the one in the URL. */
  value?: string | undefined
}

type Props = {
  /** The items in the list, such as "partners". */
  what: Shown
  path: string
  fields: Fields
  errors: ErrorDetail[] | undefined
  filters: Filter[]
  /** The chips of filters that have no control, because only links set them. */
  linked?: Record<string, string>
}

/** The chip of a partner. All rows are the partner's and have its name. */
export const partnerChip = (
  row: { partnerName: string | null; partnerSlug: string | null } | undefined,
  t: Translate,
): string => {
  const name = row?.partnerName ?? row?.partnerSlug
  return name ? t(m.layout_partner_chip, { name }) : t(m.layout_one_partner_chip)
}

/** A filter in words; undefined if the list does not have it. */
const wordsOf = (
  name: string,
  value: string,
  filters: Filter[],
  linked: Record<string, string>,
) => {
  const filter = filters.find((one) => one.name === name)
  if (!filter) return linked[name]
  return `${shown(filter.label)}: ${shown(filter.options?.find((option) => option.value === value)?.label ?? value)}`
}

/** The URL of a list's first page without one of its filters. */
const without = (path: string, fields: Fields, removed: string): string => {
  const others = Object.entries(fields).filter(
    ([name]) => ![removed, 'cursor', 'done'].includes(name),
  )
  const query = new URLSearchParams(others).toString()
  return query ? `${path}?${query}` : path
}

/** The filter form above a list, and a chip for each active filter, which removes it. */
export const Filters = ({ what: items, path, fields, errors, filters, linked = {} }: Props) => {
  const what = shown(items)
  const set = Object.entries(fields).filter(([name]) => !UNFILTERED.includes(name))
  return (
    <search>
      <Problem message={errors && t(m.layout_filters_not_valid)} />
      {filters.length > 0 && (
        <form class="filters" method="get" action={path}>
          {filters.map(({ name, label, options, maxlength, value = fields[name] }) =>
            options ? (
              <Select label={shown(label)} {...{ name, options, value, errors }} />
            ) : (
              <Field type="search" label={shown(label)} {...{ name, maxlength, value, errors }} />
            ),
          )}
          {Object.keys(linked).map(
            (name) =>
              fields[name] !== undefined && (
                <input type="hidden" name={name} value={fields[name]} />
              ),
          )}
          <QuietButton>{t(m.layout_filter, { what, hidden })}</QuietButton>
        </form>
      )}
      {set.length > 0 && (
        <ul class="chips">
          {set.map(([name, value]) => {
            const words = wordsOf(name, value, filters, linked)
            return words === undefined ? null : (
              <li>
                <a
                  href={without(path, fields, name)}
                  aria-label={t(m.layout_remove_filter, { words })}
                >
                  {words}
                  <span aria-hidden="true"> ×</span>
                </a>
              </li>
            )
          })}
          <li>
            <a class="all" href={path}>
              {t(m.layout_show_all, { what })}
            </a>
          </li>
        </ul>
      )}
    </search>
  )
}

type EmptyProps = {
  /** The items in the list, such as "partners". */
  what: Shown
  isFiltered: boolean
  /** The text if nothing matches the filters. */
  noMatches?: Child
  children: Child
}

/** An empty list: no matches, or `children` without filters. */
export const Empty = ({ what, isFiltered, noMatches, children }: EmptyProps) => (
  <p class="empty">
    {isFiltered ? (noMatches ?? t(m.layout_no_matches, { what: shown(what) })) : children}
  </p>
)
