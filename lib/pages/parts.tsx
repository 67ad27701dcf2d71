/** Parts that pages are put together from. */
import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../http/errors.ts'

type Control = {
  label: Child
  name: string
  hint?: Child
  errors?: ErrorDetail[] | undefined
  [attribute: string]: unknown
}

/** What is wrong with a field, and how a control says that its hint and its error belong to it. */
const describe = ({ name, hint, errors = [] }: Pick<Control, 'name' | 'hint' | 'errors'>) => {
  const error = errors.find(({ path }) => path === name)?.message
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return {
    error,
    attributes: {
      id: name,
      name,
      'aria-describedby': described || undefined,
      'aria-invalid': error ? 'true' : undefined,
    },
  }
}

const Notes = ({ name, hint, error }: { name: string; hint: Child; error: string | undefined }) => (
  <>
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
  </>
)

/** A labelled input. Its error, if there is one, is read out with it. */
export const Field = ({
  label,
  name,
  hint,
  value,
  errors,
  ...input
}: Control & { value?: string | number | null | undefined }) => {
  const { error, attributes } = describe({ name, hint, errors })
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <Notes name={name} hint={hint} error={error} />
      <input value={value ?? ''} {...attributes} {...input} />
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
  errors,
  ...select
}: Control & {
  options: readonly { value: string; label: string }[]
  value?: string | null | undefined
}) => {
  const { error, attributes } = describe({ name, hint, errors })
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <Notes name={name} hint={hint} error={error} />
      <select {...attributes} {...select}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === (value ?? '')}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}

/** Something to be ticked or not. */
export const Checkbox = ({
  label,
  name,
  hint,
  checked,
}: {
  label: Child
  name: string
  hint?: Child
  checked: boolean
}) => (
  <p class="option">
    <input
      type="checkbox"
      id={name}
      name={name}
      checked={checked}
      aria-describedby={hint ? `${name}-hint` : undefined}
    />
    <label for={name}>{label}</label>
    {hint && (
      <span class="hint" id={`${name}-hint`}>
        {hint}
      </span>
    )}
  </p>
)

/**
 * What went wrong with a form, above it: in words, or each field's error with a way to the field. The page's title
 * says so too.
 */
export const Problem = ({
  message,
  errors = [],
  labels = {},
}: {
  message?: string | undefined
  errors?: ErrorDetail[] | undefined
  /** What the fields are called, by their names. */
  labels?: Record<string, string>
}) => {
  if (!message && errors.length === 0) return null
  return (
    <div class="problem" role="alert">
      <p>{message ?? 'Nothing was saved yet. Please look at this again:'}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map((error) => (
            <li>
              <a href={`#${error.path}`}>{[labels[error.path], error.message].filter(Boolean).join(': ')}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

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

/** A table that scrolls by itself when the screen is narrow. Over numbers, a heading stands on their side. */
export const Table = ({
  caption,
  head,
  children,
}: {
  caption: string
  head: (string | { number: string })[]
  children: Child
}) => (
  <section class="table" aria-label={caption} tabindex={0}>
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {head.map((title) =>
            typeof title === 'string' ? (
              <th scope="col">{title}</th>
            ) : (
              <th scope="col" class="number">
                {title.number}
              </th>
            ),
          )}
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

/**
 * What a page says to a code of its address, such as `?done=saved`. A code that it doesn't know says nothing: what
 * stands in an address may come from anybody.
 */
export const wordsFor = (codes: Record<string, string>, code: string | undefined): string | undefined =>
  code !== undefined && Object.hasOwn(codes, code) ? codes[code] : undefined
