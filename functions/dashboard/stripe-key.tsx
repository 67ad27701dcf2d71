/** What the page Stripe shows of paying partners: the key of the merchant's Stripe account. */

import type { ErrorDetail } from '../../lib/http/errors.ts'
import { Copyable, Field, Time } from '../../lib/pages/parts.tsx'
import type { StripeKey } from '../../lib/payouts/stripe-keys.queries.ts'
import { CONNECT_EVENTS } from '../../lib/purchases/stripe/event-types.ts'

/** The key as people know it. */
const KeyFacts = ({ stripeKey }: { stripeKey: StripeKey }) => (
  <>
    The key ends in <code>{stripeKey.last4}</code> and is of the Stripe account{' '}
    <code>{stripeKey.stripeAccountId}</code>
    {stripeKey.livemode ? '' : ', in test mode'}. It was set at <Time at={stripeKey.createdAt} />.
  </>
)

const KeyForm = ({ base, isFirst, errors }: { base: string; isFirst: boolean; errors?: ErrorDetail[] }) => (
  <form method="post" action={`${base}/stripe/key`} class="inline">
    <Field
      label={isFirst ? 'Key' : 'Another key in its place'}
      name="key"
      hint="It begins with rk_ or sk_."
      type="password"
      required
      maxlength={255}
      autocomplete="off"
      errors={errors}
    />
    <button type="submit">{isFirst ? 'Set the key' : 'Exchange the key'}</button>
  </form>
)

type Props = { base: string; stripeKey: StripeKey | null; errors?: ErrorDetail[] | undefined }

/** How partners are paid from the merchant's own Stripe account, and what that needs. */
export const PayingPartners = ({ base, stripeKey, errors = [] }: Props) => (
  <>
    <h2 id="paying">Paying partners</h2>
    <p>
      <span class="status" data-status={stripeKey ? 'approved' : 'open'}>
        {stripeKey ? 'Set up' : 'Not set up'}
      </span>{' '}
      {stripeKey ? (
        <KeyFacts stripeKey={stripeKey} />
      ) : (
        'Without a key, partners can connect no account, and are paid by bank.'
      )}
    </p>
    <p>
      Partners are paid from your Stripe account to their own, which they connect from their portal. Turn on
      Connect in Stripe’s dashboard, and make a restricted key with <em>Write</em> for <em>Accounts</em>,{' '}
      <em>Account links</em> and <em>Transfers</em>, all under <em>Connect</em>, and nothing else. We keep it
      encrypted, and never show it again.
    </p>
    <KeyForm base={base} isFirst={!stripeKey} errors={errors} />
    {stripeKey && (
      <p>
        <a href={`${base}/stripe/key/remove`}>Remove the key</a>
      </p>
    )}
    <p>
      Then let Stripe tell us how your partners’ accounts are: add another endpoint with the same address, for{' '}
      <em>connected accounts</em>, and its signing secret under step 3. With the payload style Snapshot,
      choose the first of these events; with Thin, the others.
    </p>
    <Copyable label="the names of the events of connected accounts" text={CONNECT_EVENTS.join('\n')} />
  </>
)

/** Asks whether the key is really to go. */
export const RemoveKeyPage = ({ base, stripeKey }: { base: string; stripeKey: StripeKey }) => (
  <>
    <h1>Remove the key of Stripe?</h1>
    <p>
      <KeyFacts stripeKey={stripeKey} />
    </p>
    <p>
      Nobody is paid by Stripe without it. Partners stay connected, and are paid again once a key of the same
      Stripe account is set. To take it from everybody, roll it in Stripe’s dashboard too.
    </p>
    <form method="post">
      <p class="actions">
        <button type="submit" class="danger">
          Remove the key
        </button>{' '}
        <a href={`${base}/stripe`}>Keep it</a>
      </p>
    </form>
  </>
)
