import type { ErrorDetail } from '../../http/errors.ts'
import type { Fields } from '../../http/validate.ts'
import type { Message } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { TryError } from '../../webhooks/deliveries/delivery-attempts.ts'
import type { EndpointRow } from '../../webhooks/endpoints/endpoints.queries.ts'
import { WEBHOOK_TYPES, type WebhookType } from '../../webhooks/types.ts'
import { Submit } from '../forms/buttons.tsx'
import { Checkbox, controls, Field } from '../forms/fields.tsx'
import { Copyable, LinkLine, Time } from '../layout/parts.tsx'
import { t } from '../layout/text.ts'
import { Status } from '../tables/ledger.tsx'
import { Table } from '../tables/table.tsx'
import { strong } from './tags.tsx'

export const ENDPOINT_LABELS = {
  url: 'URL',
  description: 'Description (optional)',
  types: m.webhooks_events,
}

const TYPE_LABELS: Record<WebhookType, Message> = {
  'partner.created': m.webhooks_partner_added,
  'partner.approved': m.webhooks_partner_approved,
  'partner.banned': m.webhooks_partner_banned,
  'lead.created': m.webhooks_lead_recorded,
  'sale.created': m.webhooks_sale_recorded,
  'refund.created': m.webhooks_refund_reported,
  'commission.created': m.webhooks_commission_added,
  'commission.reversed': m.webhooks_commission_reversed,
  'payout.created': m.webhooks_payout_created,
  'payout.paid': m.webhooks_payout_sent,
  'payout.failed': m.webhooks_payout_failed,
  'import.finished': m.webhooks_import_saved,
  'import.undone': m.webhooks_import_undone,
}

/** The fields of a form about all types, or about an endpoint's. */
export const endpointFields = (
  endpoint?: Pick<EndpointRow, 'url' | 'description' | 'types'>,
): Fields => ({
  url: endpoint?.url ?? '',
  description: endpoint?.description ?? '',
  ...Object.fromEntries((endpoint?.types ?? WEBHOOK_TYPES).map((type) => [type, 'on'])),
})

/** A form's fields as API input. */
export const readEndpoint = (
  fields: Fields,
): { url: string; description: string; types: WebhookType[] } => ({
  url: fields.url ?? '',
  description: fields.description ?? '',
  types: WEBHOOK_TYPES.filter((type) => fields[type] !== undefined),
})

type EndpointFormProps = {
  action: string
  button: string
  fields: Fields
  errors?: ErrorDetail[] | undefined
}

/** The form that adds or changes an endpoint. */
export const EndpointForm = ({ action, button, fields, errors }: EndpointFormProps) => {
  const control = controls(ENDPOINT_LABELS, { fields, errors })
  return (
    <form method="post" action={action}>
      <Field
        {...control('url')}
        type="url"
        required
        maxlength={2048}
        hint={t(m.webhooks_url_hint)}
      />
      <Field {...control('description')} maxlength={255} autocomplete="off" />
      <fieldset id="types">
        <legend>{t(ENDPOINT_LABELS.types)}</legend>
        {WEBHOOK_TYPES.map((type) => (
          <Checkbox
            label={
              <>
                {t(TYPE_LABELS[type])} <code>{type}</code>
              </>
            }
            name={type}
            checked={fields[type] !== undefined}
          />
        ))}
      </fieldset>
      <Submit>{button}</Submit>
    </form>
  )
}

/** An endpoint's status, and since when it has failed. */
export const EndpointStatus = ({ disabledAt, disabledReason, failingSince }: EndpointRow) => {
  if (disabledAt)
    return (
      <Status
        status="revoked"
        label={disabledReason === 'failing' ? t(m.webhooks_disabled_failed) : 'disabled'}
      />
    )
  return failingSince ? (
    t(m.webhooks_failing_since, {
      status: () => <Status status="failed" label={m.webhooks_failing} />,
      time: () => <Time at={failingSince} />,
    })
  ) : (
    <Status status="approved" label={m.webhooks_enabled} />
  )
}

type SecretPageProps = { title: string; endpoint: string; secret: string }

/** Shows a new secret, which is only in this response. */
export const SecretPage = ({ title, endpoint, secret }: SecretPageProps) => (
  <>
    <h1>{title}</h1>
    <div class="done" role="status">
      <p>{t(m.webhooks_secret_shown_once, { strong })}</p>
    </div>
    <Copyable label={t(m.webhooks_signing_secret)} text={secret} />
    <p>{t(m.webhooks_secret_use)}</p>
    <LinkLine href={endpoint}>{t(m.webhooks_go_endpoint)}</LinkLine>
  </>
)

/** A delivery as lists show it. */
type DeliveryLine = {
  id: string
  type: string
  status: string
  attempts: number
  createdAt: Date
  nextAttemptAt: Date | null
}

type DeliveryTableProps = { base: string; deliveries: DeliveryLine[] }

export const DeliveryTable = ({ base, deliveries }: DeliveryTableProps) => (
  <Table
    caption={t(m.webhooks_deliveries)}
    head={[
      t(m.created_column),
      t(m.event_column),
      t(m.status),
      { number: t(m.webhooks_attempts) },
      t(m.webhooks_next_attempt),
    ]}
  >
    {deliveries.map(({ id, type, status, attempts, createdAt, nextAttemptAt }) => (
      <tr>
        <td>
          <a href={`${base}/deliveries/${id}`}>
            <Time at={createdAt} />
          </a>
        </td>
        <td>
          <code>{type}</code>
        </td>
        <td>
          <Status status={status === 'delivered' ? 'sent' : status} label={status} />
        </td>
        <td class="number">{attempts}</td>
        <td>{nextAttemptAt ? <Time at={nextAttemptAt} /> : '–'}</td>
      </tr>
    ))}
  </Table>
)

const ERRORS: Record<TryError, Message> = {
  status: m.webhooks_error_status,
  timeout: m.webhooks_error_timeout,
  unreachable: m.webhooks_error_unreachable,
  refused_url: m.webhooks_error_url,
  endpoint_disabled: m.webhooks_error_disabled,
  unreadable_secret: m.webhooks_error_secret,
  no_subject: m.webhooks_error_subject,
}

/** The result of a request, as a sentence. */
export const resultOf = (status: number | null, error: TryError | null): string =>
  [
    status === null ? '' : t(m.webhooks_http_status, { status: String(status) }),
    error ? t(ERRORS[error]) : t(m.webhooks_delivered),
  ]
    .filter(Boolean)
    .join(' ')
