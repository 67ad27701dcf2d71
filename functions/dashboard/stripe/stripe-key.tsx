/** Partner payouts on the Stripe page: the key of the merchant's account. */

import type { ErrorDetail } from '../../../lib/http/errors.ts'
import * as m from '../../../lib/languages/messages.ts'
import { ConfirmForm } from '../../../lib/pages/forms/buttons.tsx'
import { Field } from '../../../lib/pages/forms/fields.tsx'
import { Copyable, LinkLine, Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { code, openStatus } from '../../../lib/pages/parts/tags.tsx'
import { Status } from '../../../lib/pages/tables/ledger.tsx'
import type { StripeKey } from '../../../lib/payouts/transfers/stripe-keys.queries.ts'
import { CONNECT_EVENTS } from '../../../lib/purchases/stripe/objects/event-types.ts'

/** The facts that identify a key without showing it. */
const KeyFacts = ({ stripeKey }: { stripeKey: StripeKey }) => (
  <>
    {t(m.stripe_key_facts, {
      mode: stripeKey.livemode ? 'live' : 'test',
      last4: stripeKey.last4,
      code,
      stripeAccountId: stripeKey.stripeAccountId,
      time: () => <Time at={stripeKey.createdAt} />,
    })}
  </>
)

type KeyFormProps = { base: string; isFirst: boolean; errors?: ErrorDetail[] }

const KeyForm = ({ base, isFirst, errors }: KeyFormProps) => (
  <form method="post" action={`${base}/stripe/key`} class="inline">
    <Field
      label={isFirst ? t(m.stripe_key) : t(m.stripe_new_key)}
      name="key"
      hint={t(m.stripe_starts_rk_sk)}
      type="password"
      required
      maxlength={255}
      autocomplete="off"
      errors={errors}
    />
    <button type="submit">{isFirst ? t(m.stripe_save_key) : t(m.stripe_replace_key)}</button>
  </form>
)

type Props = {
  base: string
  stripeKey: StripeKey | null
  /** The events of connected accounts that Stripe does not send, as far as known. */
  missing: string[]
  errors?: ErrorDetail[] | undefined
}

export const PayingPartners = ({ base, stripeKey, missing, errors = [] }: Props) => (
  <>
    <h2 id="paying">{t(m.stripe_partner_payouts)}</h2>
    <p>
      <Status
        status={stripeKey ? 'approved' : 'open'}
        label={stripeKey ? t(m.stripe_set_up) : t(m.stripe_not_set_up)}
      />{' '}
      {stripeKey ? <KeyFacts stripeKey={stripeKey} /> : t(m.stripe_without_key_partners)}
    </p>
    <p>{t(m.stripe_partners_paid_stripe, { em: (content) => <em>{content}</em> })}</p>
    <KeyForm base={base} isFirst={!stripeKey} errors={errors} />
    {stripeKey && <LinkLine href={`${base}/stripe/key/remove`}>{t(m.stripe_remove_key)}</LinkLine>}
    <p>{t(m.stripe_add_second_webhook, { em: (content) => <em>{content}</em> })}</p>
    <Copyable label={t(m.stripe_events_connected_accounts)} text={CONNECT_EVENTS.join('\n')} />
    {missing.length > 0 && (
      <>
        <p>
          {t(m.stripe_missing_no_endpoint, {
            span: openStatus,
          })}
        </p>
        <Copyable label={t(m.stripe_missing_events_connected)} text={missing.join('\n')} />
      </>
    )}
  </>
)

export const RemoveKeyPage = ({ base, stripeKey }: { base: string; stripeKey: StripeKey }) => (
  <>
    <h1>{t(m.stripe_remove_stripe_key)}</h1>
    <p>
      <KeyFacts stripeKey={stripeKey} />
    </p>
    <p>{t(m.stripe_payouts_stop_until)}</p>
    <ConfirmForm button={t(m.stripe_remove_key)} cancel={`${base}/stripe`} />
  </>
)
