/** Components that several pages share. */
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../http/errors.ts'
import * as m from '../../languages/messages.ts'
import { hidden } from '../parts/tags.tsx'
import { type Shown, said, shown, t } from './text.ts'

/** The error summary above a form: a message, or a link to each field with an error. */
export const Problem = ({
  message,
  errors = [],
  labels = {},
}: {
  message?: Shown | undefined
  errors?: ErrorDetail[] | undefined
  /** Field labels by name. */
  labels?: Record<string, Shown>
}) => {
  if (!message && errors.length === 0) return null
  return (
    <div class="problem" role="alert">
      <p>{typeof message === 'string' ? said(message) : t(message ?? m.fix_errors)}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map((error) => (
            <li>
              <a href={`#${error.path}`}>{named(labels[error.path], said(error.message))}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const named = (field: Shown | undefined, error: string): string =>
  field ? t(m.field_error, { field: shown(field), error }) : error

/** The notice that an action succeeded. */
export const Done = ({ message }: { message: Shown | undefined }) =>
  message ? (
    <p class="done" role="status">
      {shown(message)}
    </p>
  ) : null

/**
 * The form of a page that confirms a destructive action.
 * @param action defaults to the page's own path
 */
export const ConfirmForm = ({
  action,
  button,
  cancel,
  children,
}: {
  action?: string
  button: string
  /** The path that "Cancel" leads to. */
  cancel: string
  /** Hidden fields. */
  children?: Child
}) => (
  <form method="post" action={action}>
    {children}
    <p class="actions">
      <button type="submit" class="danger">
        {button}
      </button>{' '}
      <a href={cancel}>{t(m.cancel)}</a>
    </p>
  </form>
)

/**
 * Text to copy. The button is there where JavaScript runs.
 * @param label of the button, or what it copies
 */
export const Copyable = ({ label, text }: { label: Child; text: string }) => (
  <div class="copyable">
    <pre>
      <code>{text}</code>
    </pre>
    <button
      type="button"
      data-copy={text}
      data-copied={t(m.copied)}
      data-blocked={t(m.press_ctrl_c)}
    >
      {typeof label === 'string' ? t(m.copy_what, { what: label, hidden }) : label}
    </button>
  </div>
)

/** A column's heading, which may be a link that sorts by it. */
export type Heading = string | { number: string; sort?: Sorting } | { text: string; sort: Sorting }

/** A heading that sorts where the list can be sorted by it. */
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

/** Columns that a phone has room for. A table with more becomes cards there. */
const PHONE_COLUMNS = 3

/** Columns that a desktop has room for. A table with more is set closer. */
const DESKTOP_COLUMNS = 8

/**
 * Names each cell by its column, for the cards that rows are on a phone. Rows are components that
 * the table can't look into, so it labels what they render, where texts are escaped.
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

/**
 * A table. Headings of number columns align right. On a phone it scrolls horizontally, or each row
 * is a card: see app.css.
 */
export const Table = ({
  caption,
  head,
  isStacked = head.length > PHONE_COLUMNS,
  children,
}: {
  caption: string
  head: Heading[]
  /** Whether rows are cards on a phone. */
  isStacked?: boolean
  children: Child
}) => {
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

/** The link to the next page of a list. */
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

/** A time in UTC, to the minute. */
export const Time = ({ at }: { at: Date }) => (
  <time datetime={at.toISOString()}>{at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>
)

/**
 * The notice for a code in the URL, such as `?done=saved`. Unknown codes give none: anybody can
 * write a URL.
 */
export const noticeFor = <Notice,>(
  codes: Record<string, Notice>,
  code: string | undefined,
): Notice | undefined =>
  code !== undefined && Object.hasOwn(codes, code) ? codes[code] : undefined
