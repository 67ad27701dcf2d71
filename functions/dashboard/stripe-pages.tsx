/** The pages that connect a workspace to the merchant's Stripe account. */
import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { Field, Select } from '../../lib/pages/fields.tsx'
import { MODE_LABEL, ModeSelect } from '../../lib/pages/mode.tsx'
import { ConfirmForm, Copyable, Done, Problem, Table, Time } from '../../lib/pages/parts.tsx'
import { SALES_FROM_LABEL, SalesFromSelect } from '../../lib/pages/sales-from.tsx'
import type { Mode, SalesFrom } from '../../lib/purchases/processors.ts'
import { STRIPE_EVENTS } from '../../lib/purchases/stripe/event-types.ts'
import type { SecretPurpose } from '../../lib/purchases/stripe/purposes.ts'
import type { MissingEvents as EventsMissing } from '../../lib/purchases/stripe/settings.service.ts'
import type { StripeSetup } from '../../lib/purchases/stripe/setup.queries.ts'
import { MAX_SECRETS, type StripeSecret } from '../../lib/purchases/stripe/signing-secrets.queries.ts'
import { type EventsProps, RecentEvents } from './stripe-events.tsx'
import { PayingPartners } from './stripe-key.tsx'

/** Why a secret or a key was rejected. The form never shows the value again. */
export type Refused = { message?: string; errors?: ErrorDetail[] }

const PURPOSE_LABEL = 'Events of'

const PURPOSES: { value: SecretPurpose; label: string }[] = [
  { value: 'account', label: 'Your account' },
  { value: 'connected_accounts', label: 'Connected accounts' },
]

const LABELS = {
  secret: 'Signing secret',
  purpose: PURPOSE_LABEL,
  key: 'Key',
  salesFrom: SALES_FROM_LABEL,
  mode: MODE_LABEL,
}

type StripeProps = EventsProps & {
  webhookUrl: string
  setup: StripeSetup
  /** The events that Stripe does not send, as far as is known. */
  missing: EventsMissing
  refused?: Refused | undefined
  done?: string | undefined
}

export const StripePage = (props: StripeProps) => {
  const { base, webhookUrl, setup, missing, refused, done } = props
  return (
    <>
      <h1>Stripe</h1>
      <Done message={done} />
      <Problem {...refused} labels={LABELS} />
      <p>
        Complete these three steps, and Stripe reports checkouts, renewals, refunds and disputes to this
        workspace.
      </p>
      <p>
        This workspace takes events and keys of Stripe’s {setup.mode} mode. Those of the other mode do not
        count.
      </p>
      <ConnectionStatus setup={setup} />
      <h2>1. Webhook endpoint</h2>
      <p>In the Stripe Dashboard, open Webhooks and add an endpoint with this URL.</p>
      <Copyable label="the webhook URL" text={webhookUrl} />
      <h2>2. Events</h2>
      <p>
        Select these events of your own account, with the payload style Snapshot. Other events are ignored.
      </p>
      <Copyable label="the events" text={STRIPE_EVENTS.join('\n')} />
      <MissingEvents missing={missing.own} />
      <h2>3. Signing secret</h2>
      <p>
        Copy it from the new endpoint’s page in Stripe. It verifies that events come from Stripe, is stored
        encrypted, and is never shown again.
      </p>
      <Secrets
        base={base}
        secrets={setup.secrets}
        salesFrom={setup.salesFrom}
        mode={setup.mode}
        errors={refused?.errors}
      />
      <PayingPartners
        base={base}
        stripeKey={setup.key}
        missing={missing.connected}
        errors={refused?.errors}
      />
      <RecentEvents {...props} />
    </>
  )
}

/** The events that the endpoint at Stripe lacks, if the key of partner payouts allows asking. */
const MissingEvents = ({ missing }: { missing: string[] }) =>
  missing.length > 0 && (
    <>
      <p>
        <span class="status" data-status="open">
          Missing
        </span>{' '}
        Your endpoint at Stripe does not receive these events. Add them there, or some sales, refunds or
        coupons do not count.
      </p>
      <Copyable label="the missing events" text={missing.join('\n')} />
    </>
  )

/** Whether events arrive, which a manager waits for after the third step. */
const ConnectionStatus = ({ setup: { secrets, firstEventAt, lastEventAt } }: { setup: StripeSetup }) => {
  if (secrets.length === 0) {
    return (
      <StatusLine status="open" label="Not connected">
        Without a signing secret, all events are rejected.
      </StatusLine>
    )
  }
  if (!firstEventAt || !lastEventAt) {
    return (
      <StatusLine status="open" label="Waiting">
        No event has arrived yet. An event of the other mode is listed below too, and does not count.
      </StatusLine>
    )
  }
  return (
    <StatusLine status="approved" label="Connected">
      First event received at <Time at={firstEventAt} />, last at <Time at={lastEventAt} />.
    </StatusLine>
  )
}

const StatusLine = ({ status, label, children }: { status: string; label: string; children: Child }) => (
  <p>
    <span class="status" data-status={status}>
      {label}
    </span>{' '}
    {children}
  </p>
)

type SecretsProps = {
  base: string
  secrets: StripeSecret[]
  salesFrom: SalesFrom
  mode: Mode
  errors: ErrorDetail[] | undefined
}

const Secrets = ({ base, secrets, salesFrom, mode, errors }: SecretsProps) => (
  <>
    {secrets.length < MAX_SECRETS && (
      <form method="post" action={`${base}/stripe`} class={secrets.length === 0 ? undefined : 'inline'}>
        <Field
          label={secrets.length === 0 ? 'Signing secret' : 'Another signing secret'}
          name="secret"
          hint="Starts with whsec_."
          type="password"
          required
          maxlength={255}
          autocomplete="off"
          errors={errors}
        />
        <Select
          label={PURPOSE_LABEL}
          name="purpose"
          hint="As you chose for the endpoint in Stripe. Only events of your account are your sales."
          options={PURPOSES}
          errors={errors}
        />
        {secrets.length === 0 && <SalesFromSelect value={salesFrom} errors={errors} />}
        {secrets.length === 0 && <ModeSelect value={mode} errors={errors} />}
        <button type="submit">Add secret</button>
      </form>
    )}
    {secrets.length > 0 && (
      <>
        <Table caption="Signing secrets" head={['Ends in', 'Events of', 'Added', 'Action']}>
          {secrets.map((secret) => (
            <tr>
              <td>
                <code>{secret.last4}</code>
              </td>
              <td>{PURPOSES.find(({ value }) => value === secret.purpose)?.label}</td>
              <td>
                <Time at={secret.createdAt} />
              </td>
              <td>
                <a href={`${base}/stripe/secrets/${secret.id}/remove`}>
                  Remove<span class="hidden"> the secret that ends in {secret.last4}</span>
                </a>
              </td>
            </tr>
          ))}
        </Table>
        <p class="hint">
          To rotate a secret, roll it in Stripe and keep the old one valid for a day. Add the new one here,
          and remove the old one after that day.
        </p>
      </>
    )}
  </>
)

/** Confirms the removal of a secret. */
export const RemoveSecretPage = ({ base, secret }: { base: string; secret: StripeSecret }) => (
  <>
    <h1>Remove this signing secret?</h1>
    <p>
      Secret ending in <code>{secret.last4}</code>, added at <Time at={secret.createdAt} />.
    </p>
    <p>
      Events signed with it are rejected immediately. Stripe retries them for up to three days, so events
      rejected by mistake arrive once you add the secret again.
    </p>
    <ConfirmForm button="Remove secret" cancel={`${base}/stripe`} />
  </>
)
