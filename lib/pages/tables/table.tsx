/** Tables, and the link to the next page of a list. */
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import * as m from '../../languages/messages.ts'
import { Time } from '../layout/parts.tsx'
import { t } from '../layout/text.ts'

/** A column's heading, which may be a link that sorts by it. */
export type Heading = string | { number: string; sort?: Sorting } | { text: string; sort: Sorting }

/** A heading that sorts, if the list can be sorted by it. */
export const sortable = (text: string, sort: Sorting | undefined): Heading =>
  sort ? { text, sort } : text

/** A link that sorts, and how its column is sorted now. */
export type Sorting = { href: string; direction: 'ascending' | 'descending' | null }

const labelOf = (heading: Heading): string => {
  if (typeof heading === 'string') return heading
  return 'number' in heading ? heading.number : heading.text
}

const HeadCell = ({ heading }: { heading: Heading }) => {
  const label = labelOf(heading)
  const isNumber = typeof heading !== 'string' && 'number' in heading
  const sort = typeof heading === 'string' ? undefined : heading.sort
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={sort?.direction ?? undefined}
    >
      {sort ? (
        <a class="sort" href={sort.href}>
          {label}
        </a>
      ) : (
        label
      )}
    </th>
  )
}

/** Columns that fit a phone. On a phone, the rows of a wider table become cards. */
const PHONE_COLUMNS = 3

/** Columns that fit a desktop. A wider table is set closer. */
const DESKTOP_COLUMNS = 8

/**
 * Names each cell by its column, for the cards on a phone. The table cannot look into rows, which
 * are components. It therefore labels their HTML, where texts are escaped.
 */
const labelCells = (rows: string, labels: string[]): string => {
  let column = 0
  return rows.replace(/<(tr|td|th)\b/g, (tag) => {
    if (tag === '<tr') {
      column = 0
      return tag
    }
    return `${tag} data-label="${labels[column++] ?? ''}"`
  })
}

type TableProps = {
  caption: string
  head: Heading[]
  /** Whether rows are cards on a phone. */
  isStacked?: boolean
  children: Child
}

/**
 * Headings of number columns align right. On a phone, a table scrolls horizontally, or its rows
 * become cards: see app.css.
 */
export const Table = ({
  caption,
  head,
  isStacked = head.length > PHONE_COLUMNS,
  children,
}: TableProps) => {
  const labels = head.map(labelOf)
  const names = [
    'table',
    ...(isStacked ? ['stacked'] : []),
    ...(head.length > DESKTOP_COLUMNS ? ['dense'] : []),
  ]
  const rows = <tbody>{children}</tbody>
  return (
    <section class={names.join(' ')} aria-label={caption} tabindex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {head.map((heading) => (
              <HeadCell heading={heading} />
            ))}
          </tr>
        </thead>
        {isStacked ? raw(labelCells(String(rows), labels)) : rows}
      </table>
    </section>
  )
}

export const NextPage = ({ url, cursor }: { url: string; cursor: string | null }) => {
  if (cursor === null) return null
  const next = new URL(url)
  next.searchParams.set('cursor', cursor)
  return (
    <p>
      <a rel="next" href={next.pathname + next.search}>
        {t(m.next_page)}
      </a>
    </p>
  )
}

export const TimeCell = ({ at }: { at: Date }) => (
  <td>
    <Time at={at} />
  </td>
)

export const LinkCell = ({ href, children }: { href: string; children: Child }) => (
  <td>
    <a href={href}>{children}</a>
  </td>
)
