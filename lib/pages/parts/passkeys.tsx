/** "Confirm with a passkey", which islands/passkey.ts makes work. */

import type { Child } from 'hono/jsx'
import * as m from '../../languages/messages.ts'
import { LinkButton } from '../forms/buttons.tsx'
import { t } from '../layout/text.ts'

/** The script of each page with one of these. */
export const PASSKEY_SCRIPTS = ['/passkey.js']

/**
 * A button that confirms with a passkey, and then sends its form. Shows why it did not, below the
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

/** What islands/passkey.ts shows of an attempt that failed, or was one of too many. */
export const PasskeyProblem = ({ failed }: { failed: string }) => (
  <p
    role="alert"
    class="problem"
    data-failed={failed}
    data-limited={t(m.passkey_limited, { seconds: '{seconds}' })}
    hidden
  ></p>
)

/** Mails a sign-in link to the signed-in person, in another tab: this page keeps what was typed. */
export const LinkInstead = ({ next }: { next: string }) => (
  <form method="post" action="/auth/confirmation-link" target="_blank" rel="noopener">
    <input type="hidden" name="next" value={next} />
    <LinkButton>{t(m.confirm_mail_link)}</LinkButton>
  </form>
)
