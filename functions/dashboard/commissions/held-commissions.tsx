import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { changeById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { DangerButton } from '../../../lib/pages/forms/buttons.tsx'
import { Done, LinkLine, noticeFor, Problem, Time } from '../../../lib/pages/layout/parts.tsx'
import { noSuchPage, renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { readFilters } from '../../../lib/pages/tables/filters.tsx'
import { PartnerOf } from '../../../lib/pages/tables/ledger.tsx'
import { NextPage, Table } from '../../../lib/pages/tables/table.tsx'
import { PROCESSOR_NAMES } from '../../../lib/rules/purchases/processors.ts'
import { type HoldReason, type HoldResolution, refusalOf } from '../../../lib/rules/steps/holds.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import {
  type HeldCommission,
  type HeldEvent,
  listHeld,
} from '../../../lib/tracking/holds/held-commissions.queries.ts'
import { resolveHold } from '../../../lib/tracking/holds/resolve-hold.queries.ts'

const DONE: Record<HoldResolution, Message> = {
  released: m.commissions_released_notice,
  rejected: m.commissions_rejected_notice,
}

const REASONS: Record<Exclude<HoldReason, 'manual'>, Message> = {
  self_referral: m.commissions_held_self_referral,
  late_lead: m.commissions_held_late_lead,
  unverified_address: m.commissions_held_unverified_address,
  over_budget: m.commissions_held_over_budget,
  possible_duplicate: m.commissions_held_duplicate,
}

const sourceOf = ({ isReported, processor }: HeldEvent): string =>
  [isReported ? t(m.commissions_your_backend) : '', processor ? PROCESSOR_NAMES[processor] : '']
    .filter(Boolean)
    .join(', ')

/** Each row is a table of two events to compare, so a page has fewer rows than other lists. */
const HeldPage = Page.extend({ limit: Page.shape.limit.unwrap().default(20) })

type Comparison = { label: Message; of: (event: HeldEvent) => Child }

const comparisons = (base: string): Comparison[] => [
  {
    label: m.event_column,
    of: ({ id, externalId }) => <a href={`${base}/events/${id}`}>{externalId}</a>,
  },
  { label: m.commissions_reported_by, of: sourceOf },
  {
    label: m.layout_customer,
    of: ({ customerExternalId, customerEmail }) =>
      [...new Set([customerExternalId, customerEmail])].filter(Boolean).join(', '),
  },
  {
    label: m.amount_column,
    of: ({ amountCents, currency }) =>
      amountCents === null ? t(m.layout_none) : money(amountCents, currency ?? ''),
  },
  { label: m.date_column, of: ({ occurredAt }) => <Time at={new Date(occurredAt)} /> },
  {
    label: m.commissions_click,
    of: ({ clickId }) => (clickId ? <code>{clickId}</code> : t(m.layout_none)),
  },
  { label: m.partner, of: ({ partnerSlug }) => partnerSlug ?? t(m.layout_none) },
]

/** The held event beside the event that it is compared with, if any. */
const Evidence = ({
  base,
  event,
  evidence,
}: Pick<HeldCommission, 'evidence'> & { base: string; event: HeldEvent }) => (
  <Table
    caption={t(m.commissions_evidence_for, { externalId: event.externalId })}
    head={[
      t(m.commissions_detail),
      t(m.commissions_held_event),
      ...(evidence ? [t(m.commissions_other_sale)] : []),
    ]}
  >
    {comparisons(base).map(({ label, of }) => (
      <tr>
        <th scope="row">{t(label)}</th>
        <td>{of(event)}</td>
        {evidence && <td>{of(evidence)}</td>}
      </tr>
    ))}
  </Table>
)

type HeldProps = { base: string; held: HeldCommission; mayDecide: boolean }

const Held = ({ base, held, mayDecide }: HeldProps) => {
  const { id, event, evidence } = held
  const amount = money(held.amountCents, held.currency)
  const what = t(m.commissions_amount_for_event, {
    amount,
    externalId: event?.externalId ?? held.partnerSlug,
  })
  return (
    <section class="card compare">
      <h2>
        {t(m.commissions_amount_for_partner, {
          amount,
          partnerName: () => <PartnerOf base={base} row={held} />,
        })}
      </h2>
      <p>
        {held.reason === 'manual'
          ? t(m.commissions_held_by_manager, { heldBy: held.heldBy, note: held.note })
          : t(REASONS[held.reason])}{' '}
        <a href={`${base}/commissions/${id}`}>{t(m.commissions_view_what, { what, hidden })}</a>
      </p>
      {event && <Evidence base={base} event={event} evidence={evidence} />}
      {mayDecide && (
        <div class="actions">
          <form method="post" action={`${base}/commissions/${id}/release`}>
            <button type="submit">{t(m.commissions_release_what, { what, hidden })}</button>
          </form>
          <form method="post" action={`${base}/commissions/${id}/reject`}>
            <DangerButton>{t(m.commissions_reject_what, { what, hidden })}</DangerButton>
          </form>
        </div>
      )}
    </section>
  )
}

/** Renders the page, with the reason if a release or a rejection was refused. */
const showHeld = async (c: Context<WorkspaceEnv>, refusal?: string) => {
  const t = textsOf(c)
  const { db, workspace } = c.var
  const { data: request } = readFilters(c, HeldPage)
  if (!request) throw noSuchPage()
  const rows = await listHeld(db, workspace.id, { ...request, limit: request.limit + 1 })
  const { data, nextCursor } = page(rows, request.limit)
  const base = `/app/${workspace.slug}`
  const children = (
    <>
      <LinkLine href={`${base}/commissions`}>{t(m.nav_commissions)}</LinkLine>
      <h1>{t(m.commissions_held_title)}</h1>
      <Problem message={refusal} />
      <Done message={refusal ? undefined : noticeFor(DONE, c.req.query('done'))} />
      <p>{t(m.commissions_held_intro)}</p>
      {data.map((held) => (
        <Held
          base={base}
          held={held}
          mayDecide={mayOpen(workspace, 'POST /commissions/:id/release')}
        />
      ))}
      {data.length === 0 && <p class="empty">{t(m.commissions_none_held)}</p>}
      <NextPage url={new URL(`${base}/commissions/held`, c.req.url).href} cursor={nextCursor} />
    </>
  )
  return renderSection(c, '/commissions', m.commissions_held_title, children, refusal ? 409 : 200)
}

const resolve = (resolution: HoldResolution) => async (c: Context<WorkspaceEnv>) => {
  const { workspace } = c.var
  const commission = await changeById(c, 'commission', resolveHold, resolution)
  const refusal = refusalOf(commission.resolution, resolution)
  if (refusal) return showHeld(c, refusal)
  return c.redirect(`/app/${workspace.slug}/commissions/held?done=${resolution}`, 303)
}

const PATH = '/app/:workspace/commissions'

/** /app/:workspace/commissions/held: held commissions, which managers release or reject. */
export default createRoutes<WorkspaceEnv>()
  .get(`${PATH}/held`, (c) => showHeld(c))
  .post(`${PATH}/:id/release`, freshMembersOnly(), resolve('released'))
  .post(`${PATH}/:id/reject`, freshMembersOnly(), resolve('rejected'))
