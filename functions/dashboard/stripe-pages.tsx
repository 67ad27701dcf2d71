/** The pages that connect a workspace with the merchant's Stripe account, step by step. */
import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import type { Listed } from '../../lib/http/lists.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { Filters } from '../../lib/pages/filters.tsx'
import { Copyable, Done, Field, NextPage, Problem, Select, Table, Time } from '../../lib/pages/parts.tsx'
import type { StripeEventRow, StripeSetup } from '../../lib/purchases/events.queries.ts'
import { explainOutcome } from '../../lib/purchases/outcomes.ts'
import { STRIPE_EVENTS } from '../../lib/purchases/stripe/event-types.ts'
import { MOST_SECRETS, type StripeSecret } from '../../lib/purchases/stripe/signing-secrets.queries.ts'
import { PayingPartners } from './stripe-key.tsx'

/** Why a secret or a key was not taken, which is not shown again. What is wrong with its field, the field says too. */
export type Refused = { message?: string; errors?: ErrorDetail[] }

type StripeProps = {
  /** The workspace's path. */
  base: string
  webhookUrl: string
  setup: StripeSetup
  events: Listed<StripeEventRow>
  url: string
  /** What the list of events is filtered by. */
  filters: Fields
  filterErrors?: ErrorDetail[] | undefined
  refused?: Refused | undefined
  done?: string | undefined
}

export const StripePage = (props: StripeProps) => {
  const { base, webhookUrl, setup, refused, done } = props
  return (
    <>
      <h1>Stripe</h1>
      <Done message={done} />
      <Problem {...refused} labels={{ secret: 'Signing secret', key: 'Key' }} />
      <p>
        Stripe reports checkouts, renewals, refunds and disputes to this workspace by itself, once the three
        steps below are done.
      </p>
      <State setup={setup} />
      <h2>1. Give Stripe this address</h2>
      <p>In Stripe’s dashboard, open the webhooks of your account, and add an endpoint with this address.</p>
      <Copyable label="the address of the webhook" text={webhookUrl} />
      <h2>2. Choose these events</h2>
      <p>Those of your own account, in the payload style Snapshot. Others do no harm.</p>
      <Copyable label="the names of the events" text={STRIPE_EVENTS.join('\n')} />
      <h2>3. Paste the signing secret</h2>
      <p>
        Stripe shows it on the page of the new endpoint. We keep it encrypted, to see that an event comes from
        Stripe, and never show it again.
      </p>
      <Secrets base={base} secrets={setup.secrets} errors={refused?.errors} />
      <PayingPartners base={base} stripeKey={setup.key} errors={refused?.errors} />
      <Received {...props} />
    </>
  )
}

/** Whether Stripe reaches us: what a manager waits for after the third step. */
const State = ({ setup: { secrets, firstEventAt, lastEventAt } }: { setup: StripeSetup }) => {
  if (secrets.length === 0) {
    return (
      <Mark status="open" label="Not connected">
        Without a signing secret, whatever arrives is refused.
      </Mark>
    )
  }
  if (!firstEventAt || !lastEventAt) {
    return (
      <Mark status="open" label="Waiting">
        For the first event. A payment in Stripe’s test mode makes one.
      </Mark>
    )
  }
  return (
    <Mark status="approved" label="Connected">
      The first event arrived at <Time at={firstEventAt} />, the last at <Time at={lastEventAt} />.
    </Mark>
  )
}

const Mark = ({ status, label, children }: { status: string; label: string; children: Child }) => (
  <p>
    <span class="status" data-status={status}>
      {label}
    </span>{' '}
    {children}
  </p>
)

type SecretsProps = { base: string; secrets: StripeSecret[]; errors: ErrorDetail[] | undefined }

const Secrets = ({ base, secrets, errors }: SecretsProps) => (
  <>
    {secrets.length < MOST_SECRETS && (
      <form method="post" action={`${base}/stripe`} class="inline">
        <Field
          label={secrets.length === 0 ? 'Signing secret' : 'Another signing secret'}
          name="secret"
          hint="It begins with whsec_."
          type="password"
          required
          maxlength={255}
          autocomplete="off"
          errors={errors}
        />
        <button type="submit">Add the secret</button>
      </form>
    )}
    {secrets.length > 0 && (
      <>
        <Table caption="Signing secrets" head={['Ends in', 'Added', 'Change']}>
          {secrets.map((secret) => (
            <tr>
              <td>
                <code>{secret.last4}</code>
              </td>
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
          To exchange one, let Stripe roll the secret and keep the old one for a day, add the new one here,
          and remove the old one after that day. Until then both count.
        </p>
      </>
    )}
  </>
)

const TYPES = [{ value: '', label: 'Any' }, ...STRIPE_EVENTS.map((type) => ({ value: type, label: type }))]

/** What has arrived, and what it did. */
const Received = ({ base, events, url, filters, filterErrors }: StripeProps) => {
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <h2 id="received">What has arrived</h2>
      {(isFiltered || events.data.length > 0) && (
        <Filters what="events" path={`${base}/stripe`} fields={filters} errors={filterErrors}>
          <Select label="Event" name="type" options={TYPES} value={filters.type} errors={filterErrors} />
          <Field
            label="External id of the sale"
            name="externalId"
            type="search"
            maxlength={255}
            value={filters.externalId}
            errors={filterErrors}
          />
        </Filters>
      )}
      {events.data.length > 0 ? (
        <Table caption="Events from Stripe" head={['Arrived', 'Event', 'What it did', 'See']}>
          {events.data.map((event) => (
            <EventLine base={base} event={event} />
          ))}
        </Table>
      ) : (
        <p class="empty">{isFiltered ? 'No event is like that.' : 'Nothing has arrived yet.'}</p>
      )}
      <NextPage url={url} cursor={events.nextCursor} />
    </>
  )
}

const EventLine = ({ base, event }: { base: string; event: StripeEventRow }) => (
  <tr>
    <td>
      <Time at={event.received_at} />
    </td>
    <td>
      {event.type}{' '}
      {!event.livemode && (
        <span class="status" data-status="test">
          test
        </span>
      )}
      <br />
      <code class="hint">{event.stripe_id}</code>
    </td>
    <td class="words">{explainOutcome(event.outcome)}</td>
    <td>
      {event.event_id && (
        <a href={`${base}/events/${event.event_id}`}>
          Sale<span class="hidden"> of {event.stripe_id}</span>
        </a>
      )}
    </td>
  </tr>
)

/** Asks whether a secret is really to go. */
export const RemoveSecretPage = ({ base, secret }: { base: string; secret: StripeSecret }) => (
  <>
    <h1>Remove this signing secret?</h1>
    <p>
      It ends in <code>{secret.last4}</code>, and was added at <Time at={secret.createdAt} />.
    </p>
    <p>
      Events that Stripe signs with it are refused from that moment on. Stripe repeats them for up to three
      days: whatever is refused by mistake arrives once the secret is added again.
    </p>
    <form method="post">
      <p class="actions">
        <button type="submit" class="danger">
          Remove the secret
        </button>{' '}
        <a href={`${base}/stripe`}>Keep it</a>
      </p>
    </form>
  </>
)
