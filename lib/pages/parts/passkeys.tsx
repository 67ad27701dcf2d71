/** "Confirm with a passkey". The script is islands/passkey.ts. */

import type { Child } from 'hono/jsx'
import * as m from '../../languages/messages.ts'
import { LinkButton } from '../forms/buttons.tsx'
import { t } from '../layout/text.ts'

/** The script of pages with these components. */
export const PASSKEY_SCRIPTS = ['/passkey.js']

/**
 * A button that confirms with a passkey, and then submits its form. A failure is shown below the
 * buttons.
 */
export const PasskeyButton = ({ children }: { children?: Child }) => (
  <>
    <p class="actions">
      <button type="submit" data-passkey="confirm">
        {t(m.passkey_confirm)}
      </button>
      {children}
    </p>
    <PasskeyProblem failed={t(m.passkey_failed)} />
  </>
)

/** A failed attempt, or one of too many, which islands/passkey.ts shows. */
export const PasskeyProblem = ({ failed }: { failed: string }) => (
  <p
    role="alert"
    class="problem"
    data-failed={failed}
    data-limited={t(m.passkey_limited, { seconds: '{seconds}' })}
    hidden
  ></p>
)

/**
 * Mails a sign-in link to the signed-in person. It opens another tab, so that this page keeps its
 * fields.
 */
export const LinkInstead = ({ next }: { next: string }) => (
  <form method="post" action="/auth/confirmation-link" target="_blank" rel="noopener">
    <input type="hidden" name="next" value={next} />
    <LinkButton>{t(m.confirm_mail_link)}</LinkButton>
  </form>
)
