import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { ConfirmForm } from '../../../lib/pages/forms/buttons.tsx'
import { Field, Select } from '../../../lib/pages/forms/fields.tsx'
import {
  MODE_LABEL,
  ModeSelect,
  SALES_FROM_LABEL,
  SalesFromSelect,
} from '../../../lib/pages/forms/processor-fields.tsx'
import { Copyable, Done, Problem, Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { code, hidden, openStatus } from '../../../lib/pages/parts/tags.tsx'
import { Status } from '../../../lib/pages/tables/ledger.tsx'
import { LinkCell, Table, TimeCell } from '../../../lib/pages/tables/table.tsx'
import { STRIPE_EVENTS } from '../../../lib/purchases/stripe/objects/event-types.ts'
import type { MissingEvents as EventsMissing } from '../../../lib/purchases/stripe/settings.service.ts'
import type { StripeSetup } from '../../../lib/purchases/stripe/setup.queries.ts'
import {
  MAX_SECRETS,
  type StripeSecret,
} from '../../../lib/purchases/stripe/signing-secrets.queries.ts'
import type { Mode, SalesFrom } from '../../../lib/rules/purchases/processors.ts'
import { type EventsProps, RecentEvents } from './stripe-events.tsx'
import { PayingPartners } from './stripe-key.tsx'

/** Why a secret or a key was rejected. The form never shows the value again. */
export type Refused = { message?: string; errors?: ErrorDetail[] }

const PURPOSES = [
  { value: 'account', label: m.stripe_your_account },
  { value: 'connected_accounts', label: m.stripe_connected_accounts },
]

const LABELS = {
  secret: m.layout_signing_secret,
  purpose: m.stripe_events_of,
  key: m.stripe_key,
  salesFrom: SALES_FROM_LABEL,
  mode: MODE_LABEL,
}

type StripeProps = EventsProps & {
  webhookUrl: string
  setup: StripeSetup
  /** The events that Stripe does not send, as far as known. */
  missing: EventsMissing
  refused?: Refused | undefined
  done?: Message | undefined
}

export const StripePage = (props: StripeProps) => {
  const { base, webhookUrl, setup, missing, refused, done } = props
  return (
    <>
      <h1>{t(m.by_stripe)}</h1>
      <Done message={done} />
      <Problem {...refused} labels={LABELS} />
      <p>{t(m.stripe_complete_these_three)}</p>
      <p>{t(m.stripe_workspace_takes_events, { mode: setup.mode })}</p>
      <ConnectionStatus setup={setup} />
      <h2>{t(m.stripe_1_webhook_endpoint)}</h2>
      <p>{t(m.stripe_dashboard_open_webhooks)}</p>
      <Copyable label={t(m.stripe_the_webhook_url)} text={webhookUrl} />
      <h2>{t(m.stripe_2_events)}</h2>
      <p>{t(m.stripe_select_these_events)}</p>
      <Copyable label={t(m.stripe_the_events)} text={STRIPE_EVENTS.join('\n')} />
      <MissingEvents missing={missing.own} />
      <h2>{t(m.stripe_3_signing_secret)}</h2>
      <p>{t(m.stripe_copy_new_endpoints)}</p>
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

/** The events that the endpoint at Stripe lacks, if the payout key can read them. */
const MissingEvents = ({ missing }: { missing: string[] }) =>
  missing.length > 0 && (
    <>
      <p>
        {t(m.stripe_missing_endpoint_stripe, {
          span: openStatus,
        })}
      </p>
      <Copyable label={t(m.stripe_the_missing_events)} text={missing.join('\n')} />
    </>
  )

type ConnectionStatusProps = { setup: StripeSetup }

/** Whether events arrive, which a manager waits for after the third step. */
const ConnectionStatus = ({
  setup: { secrets, firstEventAt, lastEventAt },
}: ConnectionStatusProps) => {
  if (secrets.length === 0) {
    return (
      <StatusLine status="open" label={t(m.stripe_not_connected)}>
        {t(m.stripe_without_signing_secret)}
      </StatusLine>
    )
  }
  if (!firstEventAt || !lastEventAt) {
    return (
      <StatusLine status="open" label={t(m.stripe_waiting)}>
        {t(m.stripe_no_event_arrived)}
      </StatusLine>
    )
  }
  return (
    <StatusLine status="approved" label={t(m.stripe_connected)}>
      {t(m.stripe_first_event_received, {
        first: () => <Time at={firstEventAt} />,
        last: () => <Time at={lastEventAt} />,
      })}
    </StatusLine>
  )
}

type StatusLineProps = { status: string; label: string; children: Child }

const StatusLine = ({ status, label, children }: StatusLineProps) => (
  <p>
    <Status status={status} label={label} /> {children}
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
      <form
        method="post"
        action={`${base}/stripe`}
        class={secrets.length === 0 ? undefined : 'inline'}
      >
        <Field
          label={
            secrets.length === 0 ? t(m.layout_signing_secret) : t(m.stripe_another_signing_secret)
          }
          name="secret"
          hint={t(m.stripe_starts_with_whsec)}
          type="password"
          required
          maxlength={255}
          autocomplete="off"
          errors={errors}
        />
        <Select
          label={t(m.stripe_events_of)}
          name="purpose"
          hint={t(m.stripe_chose_endpoint_stripe)}
          options={PURPOSES}
          errors={errors}
        />
        {secrets.length === 0 && <SalesFromSelect value={salesFrom} errors={errors} />}
        {secrets.length === 0 && <ModeSelect value={mode} errors={errors} />}
        <button type="submit">{t(m.stripe_add_secret)}</button>
      </form>
    )}
    {secrets.length > 0 && (
      <>
        <Table
          caption={t(m.stripe_signing_secrets)}
          head={[t(m.stripe_ends_in), t(m.stripe_events_of), t(m.stripe_added), t(m.action_column)]}
        >
          {secrets.map((secret) => (
            <tr>
              <td>
                <code>{secret.last4}</code>
              </td>
              <td>
                {t(
                  secret.purpose === 'account'
                    ? m.stripe_your_account
                    : m.stripe_connected_accounts,
                )}
              </td>
              <TimeCell at={secret.createdAt} />
              <LinkCell href={`${base}/stripe/secrets/${secret.id}/remove`}>
                {t(m.stripe_remove_secret_ends, { last4: secret.last4, hidden })}
              </LinkCell>
            </tr>
          ))}
        </Table>
        <p class="hint">{t(m.stripe_rotate_secret_roll)}</p>
      </>
    )}
  </>
)

export const RemoveSecretPage = ({ base, secret }: { base: string; secret: StripeSecret }) => (
  <>
    <h1>{t(m.stripe_remove_signing_secret)}</h1>
    <p>
      {t(m.stripe_secret_ending_added, {
        last4: secret.last4,
        code,
        time: () => <Time at={secret.createdAt} />,
      })}
    </p>
    <p>{t(m.stripe_events_signed_rejected)}</p>
    <ConfirmForm button={t(m.stripe_remove_secret)} cancel={`${base}/stripe`} />
  </>
)
