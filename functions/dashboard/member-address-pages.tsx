/** The pages about a member's own email address. */
import { Field } from '../../lib/pages/fields.tsx'
import { ConfirmForm, Problem } from '../../lib/pages/parts.tsx'

/** The form for a new address. */
export const AddressPage = ({
  base,
  current,
  email,
  problem,
}: {
  base: string
  current: string
  email?: string | undefined
  problem?: string | undefined
}) => (
  <>
    <h1>Email address</h1>
    <Problem message={problem} />
    <p>
      Your address is {current}. You sign in with it, and get emails about your workspaces. A new address
      applies to all of your workspaces. If you are a partner of a program too, change that address{' '}
      <a href="/portal/address">in the portal</a>.
    </p>
    <form method="post" action={base} class="inline">
      <Field
        label="New email address"
        name="email"
        type="email"
        required
        maxlength={320}
        autocomplete="email"
        value={email}
      />
      <button type="submit">Send links</button>
    </form>
    <p class="hint">
      A link goes to each of the two addresses. If you cannot read the old one any more, ask another manager
      to invite the new one, or the operator of this installation.
    </p>
  </>
)

/** Reports that both links were mailed. */
export const LinksSentPage = ({ from, to, hours }: { from: string; to: string; hours: number }) => (
  <>
    <h1>Check both mailboxes</h1>
    <p>
      A link was sent to {from}, and another one to {to}. Open both in this browser within {hours} hours.
      Until both are confirmed, nothing changes.
    </p>
  </>
)

/** Asks for the step that a link is for. */
export const ConfirmAddressPage = ({
  base,
  from,
  to,
  token,
}: {
  base: string
  from: string
  to: string
  token: string
}) => (
  <>
    <h1>Change your email address?</h1>
    <p>
      From now on, you sign in with {to} instead of {from}, in all of your workspaces.
    </p>
    <ConfirmForm action={`${base}/confirm`} button="Confirm change" cancel="/app">
      <input type="hidden" name="token" value={token} />
    </ConfirmForm>
    <form method="post" action={`${base}/cancel`}>
      <input type="hidden" name="token" value={token} />
      <p>
        If you did not ask for this:{' '}
        <button type="submit" class="link">
          Cancel the change
        </button>
      </p>
    </form>
  </>
)

/** Reports that the link to the other address is still to be opened. */
export const WaitingPage = ({ isNew, from, to }: { isNew: boolean; from: string; to: string }) => (
  <>
    <h1>One link left</h1>
    <p>
      This link is confirmed. Open the one that was sent to {isNew ? from : to}, too. Until then, nothing
      changes.
    </p>
  </>
)

/** Reports that nothing will change. */
export const CanceledPage = ({ base, current }: { base: string; current: string }) => (
  <>
    <h1>Change canceled</h1>
    <p>
      Your address is still {current}. If you did not ask for the change, sign out everywhere on the page of
      your <a href="/auth/sessions">sessions</a>.
    </p>
    <p>
      <a href={base}>Change your email address</a>
    </p>
  </>
)

/** Reports the change. The session was of the former address. */
export const ChangedPage = ({ to }: { to: string }) => (
  <>
    <h1>Address changed</h1>
    <p>Your address is {to} now. Sign in with it to see your workspaces.</p>
    <form method="post" action="/auth/sign-out">
      <button type="submit">Sign out</button>
    </form>
  </>
)
