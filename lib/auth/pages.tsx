/** The pages of signing in. */
import type { ErrorDetail } from '../http/errors.ts'
import { Field, Problem } from '../pages/parts.tsx'
import { LINK_MINUTES, SESSION_DAYS } from './better-auth.ts'

/** Where people ask for a link. */
export const SignInPage = ({
  next,
  email,
  problem,
}: {
  next: string
  email?: string | undefined
  problem?: string | undefined
}) => {
  const errors: ErrorDetail[] = problem ? [{ path: 'email', message: problem }] : []
  return (
    <>
      <h1>Sign in</h1>
      <p>
        Type your e-mail address, and we send you a link that signs you in. There is no password. If you are
        new here, the link also makes your account.
      </p>
      <form method="post" action="/sign-in">
        <Field
          label="E-mail address"
          name="email"
          type="email"
          value={email}
          errors={errors}
          autocomplete="email"
          maxlength={320}
          required
        />
        <input type="hidden" name="next" value={next} />
        <button type="submit">Send me a link</button>
      </form>
      <p class="hint">
        The link works once, for {LINK_MINUTES} minutes. The browser in which you open it stays signed in
        until you sign out, or don’t use it for {SESSION_DAYS} days.
      </p>
    </>
  )
}

/** What everybody sees who has asked for a link, whether we know the address or not. */
export const MailSentPage = ({ email, next }: { email: string; next: string }) => (
  <>
    <h1>Look into your mail</h1>
    <p>
      We have sent a link to <strong>{email}</strong>. Open it within {LINK_MINUTES} minutes, in the browser
      in which you want to be signed in; it works once. You can close this page.
    </p>
    <p class="hint">
      Nothing there after a minute? Look among the spam, check the address for typing errors, and{' '}
      <a href={signInPath(next)}>ask for another link</a>.
    </p>
  </>
)

/** Where a link leads. Programs that look into mails open links, but press no buttons. */
export const ConfirmPage = ({ email, token, next }: { email: string; token: string; next: string }) => (
  <>
    <h1>Sign in</h1>
    <p>
      One press, and this browser is signed in as <strong>{email}</strong>.
    </p>
    <form method="post" action="/auth/confirm">
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="next" value={next} />
      <button type="submit">Sign in</button>
    </form>
    <p class="hint">
      You have not asked for this link, or are not {email}? Then close this page: nothing has happened.
    </p>
  </>
)

/** What is said of a link that does not work. */
export const BadLinkPage = ({ next }: { next: string }) => (
  <>
    <h1>This link does not work</h1>
    <Problem
      message={`A link works once, for ${LINK_MINUTES} minutes. This one was used before, is older than that, or was cut off by a mail program.`}
    />
    <p>
      <a href={signInPath(next)}>Ask for a new link</a>
    </p>
  </>
)

const signInPath = (next: string) =>
  next === '/app' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`
