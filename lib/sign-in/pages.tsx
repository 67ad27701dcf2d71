/** The sign-in pages. */

import { LINK_MINUTES, SESSION_DAYS } from '../auth/better-auth.ts'
import type { ErrorDetail } from '../http/errors.ts'
import type { Translate } from '../languages/message.ts'
import * as m from '../languages/messages.ts'
import { EmailField } from '../pages/forms/fields.tsx'
import { Done, LinkLine, Problem } from '../pages/layout/parts.tsx'
import { t } from '../pages/layout/text.ts'
import { linkTo, strong } from '../pages/parts/tags.tsx'
import { CodeForm, LinkState, OtherBrowser } from './code-pages.tsx'
import { browserName, isInApp } from './requests/browsers.ts'
import type { Ask } from './requests/link-requests.queries.ts'
import type { MailProblem } from './requests/sign-in-requests.queries.ts'

/** The form that requests a link. */
export const SignInPage = ({
  next,
  email,
  problem,
  done,
}: {
  next: string
  email?: string | undefined
  problem?: string | undefined
  done?: string | undefined
}) => {
  const errors: ErrorDetail[] = problem ? [{ path: 'email', message: problem }] : []
  return (
    <>
      <h1>{t(m.sign_in)}</h1>
      <Done message={done} />
      <p>{t(m.sign_in_intro)}</p>
      <form method="post" action="/sign-in">
        <EmailField label={t(m.email_address)} value={email} errors={errors} autocomplete="email" />
        <input type="hidden" name="next" value={next} />
        <button type="submit">{t(m.send_sign_in_link)}</button>
      </form>
      <p class="hint">{t(m.sign_in_hint, { minutes: LINK_MINUTES, days: SESSION_DAYS })}</p>
    </>
  )
}

const PROBLEMS = {
  bounced: m.mail_bounced,
  suppressed: m.mail_suppressed,
  complained: m.mail_complained,
} satisfies Record<MailProblem, object>

/**
 * Shown after every request, whether or not the address is known or a link was sent: see
 * lib/mail/outbox/sign-in-quota.ts.
 * @param problem why mails do not reach the person, if the person has signed in in this browser
 */
export const MailSentPage = ({
  email,
  next,
  problem,
}: {
  email: string
  next: string
  problem: MailProblem | null
}) => (
  <>
    <h1>{t(m.check_email)}</h1>
    <Problem
      message={problem ? `${t(PROBLEMS[problem])} ${t(m.ask_for_other_address)}` : undefined}
    />
    <p>{t(m.sign_in_link_sent, { email, strong, minutes: LINK_MINUTES })}</p>
    <LinkState state={null} />
    <CodeForm />
    <p class="hint">{t(m.no_sign_in_mail, { link: linkTo(signInPath(next)) })}</p>
    <p class="hint">{t(m.why_no_sign_in_mail)}</p>
  </>
)

/** The message if the mailbox has as many unused links as it may have. */
export const linksOnTheWay = (email: string, t: Translate): string =>
  t(m.links_on_the_way, { email, minutes: LINK_MINUTES })

export const MailsOnTheWayPage = ({ email }: { email: string }) => (
  <>
    <h1>{t(m.check_email)}</h1>
    <p>{linksOnTheWay(email, t)}</p>
    <p class="hint">{t(m.links_on_the_way_hint, { minutes: LINK_MINUTES })}</p>
  </>
)

/** The target of a link. A button redeems it: email scanners open links but submit no forms. */
export const ConfirmPage = ({
  email,
  token,
  ask,
  userAgent,
}: {
  email: string
  token: string
  ask: Ask | null
  userAgent: string | undefined
}) => (
  <>
    <h1>{t(m.sign_in)}</h1>
    <p>{t(m.sign_in_as, { email, strong })}</p>
    <form method="post" action="/auth/confirm">
      <input type="hidden" name="token" value={token} />
      <button type="submit">{t(m.sign_in)}</button>
    </form>
    <p class="hint">{t(m.close_this_page)}</p>
    {ask && !ask.isSame && (
      <OtherBrowser
        ask={ask}
        here={browserName(userAgent)}
        isInApp={isInApp(userAgent)}
        token={token}
      />
    )}
  </>
)

/** For a link that was used, has expired or is malformed. */
export const BadLinkPage = () => (
  <>
    <h1>{t(m.invalid_link)}</h1>
    <Problem message={t(m.invalid_link_text, { minutes: LINK_MINUTES })} />
    <LinkLine href="/sign-in">{t(m.request_new_link)}</LinkLine>
  </>
)

const signInPath = (next: string) =>
  next === '/app' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`
