/** Components that several pages share. */
import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../http/errors.ts'
import * as m from '../../languages/messages.ts'
import { hidden } from '../parts/tags.tsx'
import { type Shown, said, shown, t } from './text.ts'

type ProblemProps = {
  message?: Shown | undefined
  errors?: ErrorDetail[] | undefined
  /** Field labels by name. */
  labels?: Record<string, Shown>
}

/** The error summary above a form: a message, or a link to each field with an error. */
export const Problem = ({ message, errors = [], labels = {} }: ProblemProps) => {
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

/** A link on a line of its own, for example the way back at the top of a page. */
export const LinkLine = ({ href, children }: { href: string; children: Child }) => (
  <p>
    <a href={href}>{children}</a>
  </p>
)

type ButtonLineProps = { href: string; kind?: 'quiet'; children: Child }

/** A link on a line of its own that looks like a button. */
export const ButtonLine = ({ href, kind, children }: ButtonLineProps) => (
  <p>
    <a class={kind ? `button ${kind}` : 'button'} href={href}>
      {children}
    </a>
  </p>
)

/** A fact of a list of facts: `<dl class="facts">`. */
export const Fact = ({ name, children }: { name: Shown; children: Child }) => (
  <>
    <dt>{shown(name)}</dt>
    <dd>{children}</dd>
  </>
)

/**
 * Text to copy. The button is shown only if JavaScript runs.
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

/** A time in UTC, to the minute. */
export const Time = ({ at }: { at: Date }) => (
  <time datetime={at.toISOString()}>{at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time>
)

/**
 * The notice for a code in the URL, such as `?done=saved`. Unknown codes are ignored, because
 * anyone can write a URL.
 */
export const noticeFor = <Notice,>(
  codes: Record<string, Notice>,
  code: string | undefined,
): Notice | undefined =>
  code !== undefined && Object.hasOwn(codes, code) ? codes[code] : undefined
