import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { Page, page } from '../../lib/http/lists.ts'
import { readFilters } from '../../lib/pages/filters.tsx'
import { PartnerName } from '../../lib/pages/ledger.tsx'
import { money } from '../../lib/pages/money.tsx'
import { Done, NextPage, noticeFor, Problem, Table, Time } from '../../lib/pages/parts.tsx'
import { noSuchPage, renderPage } from '../../lib/pages/render.tsx'
import { PROCESSOR_NAMES } from '../../lib/purchases/processors.ts'
import { type HeldCommission, type HeldEvent, listHeld } from '../../lib/tracking/held.queries.ts'
import { type HoldReason, type HoldResolution, refusalOf } from '../../lib/tracking/holds.ts'
import { resolveHold } from '../../lib/tracking/resolve-hold.queries.ts'

const DONE: Record<HoldResolution, string> = {
  released: 'Commission released. It is paid once its holding period has ended.',
  rejected: 'Commission rejected and reversed.',
}

const REASONS: Record<Exclude<HoldReason, 'manual'>, string> = {
  self_referral:
    'The customer’s email address leads to the partner’s own mailbox. If your terms allow partners to buy through their own link, release; if not, reject.',
  possible_duplicate:
    'Two sales of one amount within a day, for one customer or click, one of them reported by your backend and one by the payment processor. If they are one purchase, reject; if they are two, release.',
}

const sourceOf = ({ isReported, processor }: HeldEvent): string =>
  [isReported ? 'Your backend' : '', processor ? PROCESSOR_NAMES[processor] : ''].filter(Boolean).join(', ')

/** Each is a table of two events to compare, so a page has fewer than other lists. */
const HeldPage = Page.extend({ limit: Page.shape.limit.unwrap().default(20) })

type Comparison = { label: string; of: (event: HeldEvent) => Child }

const comparisons = (base: string): Comparison[] => [
  { label: 'Event', of: ({ id, externalId }) => <a href={`${base}/events/${id}`}>{externalId}</a> },
  { label: 'Reported by', of: sourceOf },
  {
    label: 'Customer',
    of: ({ customerExternalId, customerEmail }) =>
      [...new Set([customerExternalId, customerEmail])].filter(Boolean).join(', '),
  },
  {
    label: 'Amount',
    of: ({ amountCents, currency }) => (amountCents === null ? 'None' : money(amountCents, currency ?? '')),
  },
  { label: 'Date', of: ({ occurredAt }) => <Time at={new Date(occurredAt)} /> },
  { label: 'Click', of: ({ clickId }) => (clickId ? <code>{clickId}</code> : 'None') },
  { label: 'Partner', of: ({ partnerSlug }) => partnerSlug ?? 'None' },
]

/** The held event, beside the other one if there is one to compare with. */
const Evidence = ({
  base,
  event,
  evidence,
}: Pick<HeldCommission, 'evidence'> & { base: string; event: HeldEvent }) => (
  <Table
    caption={`Evidence for ${event.externalId}`}
    head={['Detail', 'Held event', ...(evidence ? ['Other sale'] : [])]}
  >
    {comparisons(base).map(({ label, of }) => (
      <tr>
        <th scope="row">{label}</th>
        <td>{of(event)}</td>
        {evidence && <td>{of(evidence)}</td>}
      </tr>
    ))}
  </Table>
)

type HeldProps = { base: string; held: HeldCommission; isManager: boolean }

const Held = ({ base, held, isManager }: HeldProps) => {
  const { id, event, evidence } = held
  const amount = money(held.amountCents, held.currency)
  const what = `${amount} for ${event?.externalId ?? held.partnerSlug}`
  return (
    <section class="card compare">
      <h2>
        {amount} for{' '}
        <PartnerName base={base} id={held.partnerId} name={held.partnerName} slug={held.partnerSlug} />
      </h2>
      <p>
        {held.reason === 'manual' ? `Held by ${held.heldBy}: “${held.note}”.` : REASONS[held.reason]}{' '}
        <a href={`${base}/commissions/${id}`}>
          View commission<span class="hidden"> of {what}</span>
        </a>
      </p>
      {event && <Evidence base={base} event={event} evidence={evidence} />}
      {isManager && (
        <div class="actions">
          <form method="post" action={`${base}/commissions/${id}/release`}>
            <button type="submit">
              Release
              <span class="hidden"> {what}</span>
            </button>
          </form>
          <form method="post" action={`${base}/commissions/${id}/reject`}>
            <button type="submit" class="danger">
              Reject
              <span class="hidden"> {what}</span>
            </button>
          </form>
        </div>
      )}
    </section>
  )
}

/** Renders the page, with the reason if a commission could not be released or rejected. */
const showHeld = async (c: Context<WorkspaceEnv>, refusal?: string) => {
  const { db, workspace } = c.var
  const { data: request } = readFilters(c, HeldPage)
  if (!request) throw noSuchPage()
  const rows = await listHeld(db, workspace.id, { ...request, limit: request.limit + 1 })
  const { data, nextCursor } = page(rows, request.limit)
  const base = `/app/${workspace.slug}`
  const children = (
    <>
      <p>
        <a href={`${base}/commissions`}>Commissions</a>
      </p>
      <h1>Held commissions</h1>
      <Problem message={refusal} />
      <Done message={refusal ? undefined : noticeFor(DONE, c.req.query('done'))} />
      <p>
        Held commissions are not paid until a manager decides. Releasing makes a commission payable after its
        holding period; rejecting reverses it for good.
      </p>
      {data.map((held) => (
        <Held base={base} held={held} isManager={workspace.role === 'manager'} />
      ))}
      {data.length === 0 && <p class="empty">No commissions are held.</p>}
      <NextPage url={new URL(`${base}/commissions/held`, c.req.url).href} cursor={nextCursor} />
    </>
  )
  return renderPage(c, { title: 'Held commissions', section: '/commissions', children }, refusal ? 409 : 200)
}

const resolve = (resolution: HoldResolution) => async (c: Context<WorkspaceEnv>) => {
  const { db, workspace } = c.var
  const commission = await found('commission', c.req.param('id') ?? '', (id) =>
    resolveHold(db, actOf(c), id, resolution),
  )
  const refusal = refusalOf(commission.resolution, resolution)
  if (refusal) return showHeld(c, refusal)
  return c.redirect(`/app/${workspace.slug}/commissions/held?done=${resolution}`, 303)
}

const PATH = '/app/:workspace/commissions'

/** /app/:workspace/commissions/held: held commissions with their evidence, which managers release or reject. */
export default createRoutes<WorkspaceEnv>()
  .get(`${PATH}/held`, (c) => showHeld(c))
  .post(`${PATH}/:id/release`, managersOnly(), resolve('released'))
  .post(`${PATH}/:id/reject`, managersOnly(), resolve('rejected'))
