/** Parts that pages are put together from. */
import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../http/errors.ts'

/** A labelled input. Its error, if there is one, is read out with it. */
export const Field = ({
  label,
  name,
  hint,
  value,
  errors = [],
  ...input
}: {
  label: string
  name: string
  hint?: string
  value?: string | number | null | undefined
  errors?: ErrorDetail[] | undefined
  [attribute: string]: unknown
}) => {
  const error = errors.find(({ path }) => path === name)?.message
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`${name}-error`}>
          {error}
        </p>
      )}
      <input
        id={name}
        name={name}
        value={value ?? ''}
        aria-describedby={described || undefined}
        aria-invalid={error ? 'true' : undefined}
        {...input}
      />
    </div>
  )
}

/** A labelled choice of one. */
export const Select = ({
  label,
  name,
  hint,
  options,
  value,
  ...select
}: {
  label: string
  name: string
  hint?: string
  options: readonly { value: string; label: string }[]
  value?: string | null | undefined
  [attribute: string]: unknown
}) => (
  <div class="field">
    <label for={name}>{label}</label>
    {hint && (
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    )}
    <select id={name} name={name} aria-describedby={hint && `${name}-hint`} {...select}>
      {options.map((option) => (
        <option value={option.value} selected={option.value === (value ?? '')}>
          {option.label}
        </option>
      ))}
    </select>
  </div>
)

/** What went wrong with a form, above it. The page's title says so too. */
export const Problem = ({ message }: { message: string | undefined }) =>
  message ? (
    <div class="problem" role="alert">
      <p>{message}</p>
    </div>
  ) : null

/** That something was done. */
export const Done = ({ message }: { message: string | undefined }) =>
  message ? (
    <p class="done" role="status">
      {message}
    </p>
  ) : null

/** A text to copy, with a button for it where JavaScript runs. */
export const Copyable = ({ label, text }: { label: string; text: string }) => (
  <div class="copyable">
    <pre>
      <code>{text}</code>
    </pre>
    <button type="button" data-copy={text} hidden>
      Copy<span class="hidden"> {label}</span>
    </button>
  </div>
)

/** A table that scrolls by itself when the screen is narrow. */
export const Table = ({ caption, head, children }: { caption: string; head: string[]; children: Child }) => (
  <section class="table" aria-label={caption} tabindex={0}>
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {head.map((title) => (
            <th scope="col">{title}</th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
)

/** The way to the next page of a list. */
export const NextPage = ({ url, cursor }: { url: string; cursor: string | null }) => {
  if (cursor === null) return null
  const next = new URL(url)
  next.searchParams.set('cursor', cursor)
  return (
    <p>
      <a rel="next" href={next.pathname + next.search}>
        Next page
      </a>
    </p>
  )
}

/** A moment, as a person reads it, in UTC. */
export const Time = ({ at }: { at: Date }) => (
  <time datetime={at.toISOString()}>{at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>
)
