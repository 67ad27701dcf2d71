/** The buttons of forms. */
import type { Child } from 'hono/jsx'
import * as m from '../../languages/messages.ts'
import { t } from '../layout/text.ts'

type ButtonProps = { children: Child }

/** The submit button of a form, on a line of its own. */
export const Submit = ({ children }: ButtonProps) => (
  <p>
    <button type="submit">{children}</button>
  </p>
)

const buttonOf =
  (kind: 'danger' | 'quiet' | 'link') =>
  ({ children }: ButtonProps) => (
    <button type="submit" class={kind}>
      {children}
    </button>
  )

/** For a destructive action. */
export const DangerButton = buttonOf('danger')

/** For a secondary action. */
export const QuietButton = buttonOf('quiet')

/** A button that looks like a link, for example in a row of a table. */
export const LinkButton = buttonOf('link')

type ConfirmFormProps = {
  action?: string
  button: string
  /** The path that "Cancel" leads to. */
  cancel: string
  /** Hidden fields. */
  children?: Child
}

/**
 * The form of a page that confirms a destructive action.
 * @param action defaults to the page's own path
 */
export const ConfirmForm = ({ action, button, cancel, children }: ConfirmFormProps) => (
  <form method="post" action={action}>
    {children}
    <p class="actions">
      <DangerButton>{button}</DangerButton> <a href={cancel}>{t(m.cancel)}</a>
    </p>
  </form>
)
