/** The portal's pages about a partner's email address. */

import { Field } from './fields.tsx'
import { ConfirmForm, Problem } from './parts.tsx'

/** The form for a new address. */
export const AddressPage = ({
  current,
  email,
  problem,
}: {
  current: string
  email?: string | undefined
  problem?: string | undefined
}) => (
  <>
    <h1>Email address</h1>
    <Problem message={problem} />
    <p>
      Your address is {current}. You sign in with it, and all programs write to it. A new address applies to
      all of your programs. Your earnings, links and connected accounts do not change.
    </p>
    <form method="post" action="/portal/address" class="inline">
      <Field
        label="New email address"
        name="email"
        type="email"
        required
        maxlength={320}
        autocomplete="email"
        value={email}
      />
      <button type="submit">Send link</button>
    </form>
    <p>
      <a href="/portal">Back to your programs</a>
    </p>
  </>
)

/** Reports that the link was mailed. */
export const LinkSentPage = ({ to, hours }: { to: string; hours: number }) => (
  <>
    <h1>Check your email</h1>
    <p>
      A link was sent to {to}. Open it in this browser within {hours} hours, while you are signed in with your
      present address. Until then, nothing changes.
    </p>
  </>
)

/** Asks for the last step, after the link was opened. */
export const ConfirmAddressPage = ({ from, to, token }: { from: string; to: string; token: string }) => (
  <>
    <h1>Change your email address?</h1>
    <p>
      From now on, you sign in with {to} instead of {from}, in all of your programs.
    </p>
    <ConfirmForm action="/portal/address/confirm" button="Change address" cancel="/portal">
      <input type="hidden" name="token" value={token} />
    </ConfirmForm>
  </>
)

/** Reports the change. The session is still of the former address. */
export const ChangedPage = ({ to }: { to: string }) => (
  <>
    <h1>Address changed</h1>
    <p>Your address is {to} now. Sign in with it to see your programs.</p>
    <form method="post" action="/auth/sign-out">
      <button type="submit">Sign out</button>
    </form>
  </>
)
