/** The part of the Stripe page about partner payouts: the key of the merchant's account. */

import type { ErrorDetail } from '../../lib/http/errors.ts'
import { Field } from '../../lib/pages/fields.tsx'
import { ConfirmForm, Copyable, Time } from '../../lib/pages/parts.tsx'
import type { StripeKey } from '../../lib/payouts/stripe-keys.queries.ts'
import { CONNECT_EVENTS } from '../../lib/purchases/stripe/event-types.ts'

/** What identifies a key without showing it. */
const KeyFacts = ({ stripeKey }: { stripeKey: StripeKey }) => (
  <>
    {stripeKey.livemode ? 'Key' : 'Test mode key'} ending in <code>{stripeKey.last4}</code> for the account{' '}
    <code>{stripeKey.stripeAccountId}</code>, saved at <Time at={stripeKey.createdAt} />.
  </>
)

const KeyForm = ({ base, isFirst, errors }: { base: string; isFirst: boolean; errors?: ErrorDetail[] }) => (
  <form method="post" action={`${base}/stripe/key`} class="inline">
    <Field
      label={isFirst ? 'Key' : 'New key'}
      name="key"
      hint="Starts with rk_ or sk_."
      type="password"
      required
      maxlength={255}
      autocomplete="off"
      errors={errors}
    />
    <button type="submit">{isFirst ? 'Save key' : 'Replace key'}</button>
  </form>
)

type Props = {
  base: string
  stripeKey: StripeKey | null
  /** The events of connected accounts that Stripe does not send, as far as is known. */
  missing: string[]
  errors?: ErrorDetail[] | undefined
}

/** The set-up of payouts from the merchant's Stripe account. */
export const PayingPartners = ({ base, stripeKey, missing, errors = [] }: Props) => (
  <>
    <h2 id="paying">Partner payouts</h2>
    <p>
      <span class="status" data-status={stripeKey ? 'approved' : 'open'}>
        {stripeKey ? 'Set up' : 'Not set up'}
      </span>{' '}
      {stripeKey ? (
        <KeyFacts stripeKey={stripeKey} />
      ) : (
        'Without a key, partners cannot connect accounts and are not paid with Stripe.'
      )}
    </p>
    <p>
      Partners are paid from your Stripe account to the accounts that they connect in the portal. Enable
      Connect in the Stripe Dashboard, then create a restricted key with <em>Write</em> access to{' '}
      <em>Accounts</em>, <em>Account links</em> and <em>Transfers</em> under <em>Connect</em>, <em>Read</em>{' '}
      access to <em>Balance</em>, and no other permissions. They are checked when you save it. With{' '}
      <em>Read</em> access to <em>Webhook Endpoints</em> too, this page says which events are missing at
      Stripe. The key is stored encrypted and never shown again.
    </p>
    <KeyForm base={base} isFirst={!stripeKey} errors={errors} />
    {stripeKey && (
      <p>
        <a href={`${base}/stripe/key/remove`}>Remove key</a>
      </p>
    )}
    <p>
      Then add a second webhook endpoint with the same URL for events on <em>connected accounts</em>, and add
      its signing secret in step 3. Choose the payload style Snapshot, and select the first three of these
      events. (The others are for an endpoint of the style Thin, which reports accounts, and no payouts.)
    </p>
    <Copyable label="the events of connected accounts" text={CONNECT_EVENTS.join('\n')} />
    {missing.length > 0 && (
      <>
        <p>
          <span class="status" data-status="open">
            Missing
          </span>{' '}
          No endpoint at Stripe receives these events of connected accounts. Without them, nobody learns that
          a partner’s bank refused a payout.
        </p>
        <Copyable label="the missing events of connected accounts" text={missing.join('\n')} />
      </>
    )}
  </>
)

/** Confirms the removal of the key. */
export const RemoveKeyPage = ({ base, stripeKey }: { base: string; stripeKey: StripeKey }) => (
  <>
    <h1>Remove the Stripe key?</h1>
    <p>
      <KeyFacts stripeKey={stripeKey} />
    </p>
    <p>
      Stripe payouts stop until you add a key of the same account. Partners stay connected. To revoke the key
      everywhere, roll it in the Stripe Dashboard too.
    </p>
    <ConfirmForm button="Remove key" cancel={`${base}/stripe`} />
  </>
)
