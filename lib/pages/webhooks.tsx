/** Parts of the pages about webhooks. */
import type { ErrorDetail } from '../http/errors.ts'
import type { Fields } from '../http/validate.ts'
import type { EndpointRow } from '../webhooks/endpoints.queries.ts'
import type { TryError } from '../webhooks/tries.ts'
import { WEBHOOK_TYPES, type WebhookType } from '../webhooks/types.ts'
import { Checkbox, controls, Field } from './fields.tsx'
import { Status } from './ledger.tsx'
import { Copyable, Table, Time } from './parts.tsx'

export const ENDPOINT_LABELS = { url: 'URL', description: 'Description (optional)', types: 'Events' }

/** What each type reports. */
const TYPE_LABELS: Record<WebhookType, string> = {
  'partner.created': 'Partner added',
  'partner.approved': 'Partner approved',
  'partner.banned': 'Partner banned',
  'lead.created': 'Lead recorded',
  'sale.created': 'Sale recorded',
  'refund.created': 'Refund reported',
  'commission.created': 'Commission or adjustment added',
  'commission.reversed': 'Commission reversed',
  'payout.created': 'Payout created',
  'payout.paid': 'Payout sent or marked as paid',
  'payout.failed': 'Payout failed, canceled, returned or reversed',
  'import.finished': 'Import saved',
  'import.undone': 'Import undone',
}

/** The fields of a form about all types, or about an endpoint's. */
export const endpointFields = (endpoint?: Pick<EndpointRow, 'url' | 'description' | 'types'>): Fields => ({
  url: endpoint?.url ?? '',
  description: endpoint?.description ?? '',
  ...Object.fromEntries((endpoint?.types ?? WEBHOOK_TYPES).map((type) => [type, 'on'])),
})

/** A form's fields as API input. */
export const readEndpoint = (fields: Fields): { url: string; description: string; types: WebhookType[] } => ({
  url: fields.url ?? '',
  description: fields.description ?? '',
  types: WEBHOOK_TYPES.filter((type) => fields[type] !== undefined),
})

/** The form that adds or changes an endpoint. */
export const EndpointForm = ({
  action,
  button,
  fields,
  errors,
}: {
  action: string
  button: string
  fields: Fields
  errors?: ErrorDetail[] | undefined
}) => {
  const control = controls(ENDPOINT_LABELS, { fields, errors })
  return (
    <form method="post" action={action}>
      <Field
        {...control('url')}
        type="url"
        required
        maxlength={2048}
        hint="Your backend’s address, with https. It must answer with 2xx within 10 seconds."
      />
      <Field {...control('description')} maxlength={255} autocomplete="off" />
      <fieldset id="types">
        <legend>{ENDPOINT_LABELS.types}</legend>
        {WEBHOOK_TYPES.map((type) => (
          <Checkbox
            label={
              <>
                {TYPE_LABELS[type]} <code>{type}</code>
              </>
            }
            name={type}
            checked={fields[type] !== undefined}
          />
        ))}
      </fieldset>
      <p>
        <button type="submit">{button}</button>
      </p>
    </form>
  )
}

/** An endpoint's status, and since when it fails. */
export const EndpointStatus = ({ disabledAt, disabledReason, failingSince }: EndpointRow) => {
  if (disabledAt)
    return (
      <Status status="revoked" label={disabledReason === 'failing' ? 'disabled: it failed' : 'disabled'} />
    )
  return failingSince ? (
    <>
      <Status status="failed" label="failing" /> since <Time at={failingSince} />
    </>
  ) : (
    <Status status="approved" label="enabled" />
  )
}

/** The page that shows a new secret, which is in this response only. */
export const SecretPage = ({
  title,
  endpoint,
  secret,
}: {
  title: string
  endpoint: string
  secret: string
}) => (
  <>
    <h1>{title}</h1>
    <div class="done" role="status">
      <p>
        <strong>The signing secret is shown only once.</strong> Copy it to your backend’s secrets now.
      </p>
    </div>
    <Copyable label="the signing secret" text={secret} />
    <p>Your backend verifies each request with it, by a library of Standard Webhooks.</p>
    <p>
      <a href={endpoint}>Go to the endpoint</a>
    </p>
  </>
)

/** Deliveries as lists show them. */
export type DeliveryLine = {
  id: string
  type: string
  status: string
  attempts: number
  createdAt: Date
  nextAttemptAt: Date | null
}

export const DeliveryTable = ({ base, deliveries }: { base: string; deliveries: DeliveryLine[] }) => (
  <Table caption="Deliveries" head={['Created', 'Event', 'Status', { number: 'Attempts' }, 'Next attempt']}>
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

const ERRORS: Record<TryError, string> = {
  status: 'The answer was not 2xx.',
  timeout: 'No answer within 10 seconds.',
  unreachable: 'No connection, or it was lost.',
  refused_url: 'The URL is not one that webhooks are sent to.',
  endpoint_disabled: 'The endpoint was disabled or removed.',
  unreadable_secret: 'The signing secret cannot be decrypted. Rotate it.',
  no_subject: 'What it is about does not exist any more.',
}

/** What came of a request, as a sentence. */
export const resultOf = (status: number | null, error: TryError | null): string =>
  [status === null ? '' : `HTTP ${status}.`, error ? ERRORS[error] : 'Delivered.'].filter(Boolean).join(' ')
