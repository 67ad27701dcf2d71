/** The sign-in pages. */
import type { ErrorDetail } from '../http/errors.ts'
import { Field } from '../pages/fields.tsx'
import { Done, Problem } from '../pages/parts.tsx'
import type { Ask } from './asks.queries.ts'
import { LINK_MINUTES, SESSION_DAYS } from './better-auth.ts'
import { browserName, isInApp } from './browsers.ts'
import { CodeForm, LinkState, OtherBrowser } from './code-pages.tsx'

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
      <h1>Sign in</h1>
      <Done message={done} />
      <p>
        Enter your email address to receive a sign-in link. You need no password. The link also creates your
        account if you are new.
      </p>
      <form method="post" action="/sign-in">
        <Field
          label="Email address"
          name="email"
          type="email"
          value={email}
          errors={errors}
          autocomplete="email"
          maxlength={320}
          required
        />
        <input type="hidden" name="next" value={next} />
        <button type="submit">Send sign-in link</button>
      </form>
      <p class="hint">
        The link works once, within {LINK_MINUTES} minutes. You stay signed in until you sign out or are
        inactive for {SESSION_DAYS} days.
      </p>
    </>
  )
}

/** Shown after every request, whether or not the address is known. */
export const MailSentPage = ({ email, next }: { email: string; next: string }) => (
  <>
    <h1>Check your email</h1>
    <p>
      We sent a sign-in link to <strong>{email}</strong>. Open it within {LINK_MINUTES} minutes, in the
      browser where you want to sign in.
    </p>
    <LinkState state={null} />
    <CodeForm />
    <p class="hint">
      No email after a minute? Check your spam folder and the address above, or{' '}
      <a href={signInPath(next)}>request another link</a>.
    </p>
  </>
)

/** The message for an address whose mailbox has the most unused links that it may have. */
export const linksOnTheWay = (email: string): string =>
  `Several sign-in links were sent to ${email} in the last ${LINK_MINUTES} minutes, and each of them works. Open any of them.`

/** Shown instead, when a mailbox has enough unused links. */
export const MailsOnTheWayPage = ({ email }: { email: string }) => (
  <>
    <h1>Check your email</h1>
    <p>{linksOnTheWay(email)}</p>
    <p class="hint">
      You can use a link that somebody else requested: it signs in only the browser that opens it. A link
      works once, within {LINK_MINUTES} minutes. After that you can request another one.
    </p>
  </>
)

/** The target of a link. Email scanners open links but do not submit forms, so a button uses the link up. */
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
    <h1>Sign in</h1>
    <p>
      Sign in to this browser as <strong>{email}</strong>.
    </p>
    <form method="post" action="/auth/confirm">
      <input type="hidden" name="token" value={token} />
      <button type="submit">Sign in</button>
    </form>
    <p class="hint">If you did not request this link, close this page.</p>
    {ask && !ask.isSame && (
      <OtherBrowser ask={ask} here={browserName(userAgent)} isInApp={isInApp(userAgent)} token={token} />
    )}
  </>
)

/** Shown for a link that was used, has expired or is malformed. */
export const BadLinkPage = () => (
  <>
    <h1>Invalid sign-in link</h1>
    <Problem
      message={`A sign-in link works once, within ${LINK_MINUTES} minutes. This one was already used, has expired or is incomplete.`}
    />
    <p>
      <a href="/sign-in">Request a new link</a>
    </p>
  </>
)

const signInPath = (next: string) =>
  next === '/app' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`
