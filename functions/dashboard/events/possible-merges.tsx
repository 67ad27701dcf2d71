import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { readById } from '../../../lib/auth/rows.ts'
import {
  findPossibleMerge,
  listPossibleMerges,
  type MergeSide,
  type PossibleMergeRow,
} from '../../../lib/customers/possible-merges.queries.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { notFound } from '../../../lib/http/found-or-404.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import { rpc } from '../../../lib/http/rpc/rpc.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { DangerButton } from '../../../lib/pages/forms/buttons.tsx'
import { Done, LinkLine, noticeFor, Problem, Time } from '../../../lib/pages/layout/parts.tsx'
import { noSuchPage, renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { hidden, linkTo } from '../../../lib/pages/parts/tags.tsx'
import { readFilters } from '../../../lib/pages/tables/filters.tsx'
import { PartnerOf } from '../../../lib/pages/tables/ledger.tsx'
import { NextPage, Table } from '../../../lib/pages/tables/table.tsx'
import {
  MERGE_REFUSALS,
  type MergeDecision,
} from '../../../lib/rules/identities/possible-merges.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import type { CreditsService } from '../../../lib/tracking/reports/purchases.rpc.ts'

const DONE: Record<MergeDecision, Message> = {
  merged: m.customers_merged_notice,
  dismissed: m.customers_dismissed_notice,
}

/** Each row is a table of two customers to compare, so a page has fewer rows than other lists. */
const MergePage = Page.extend({ limit: Page.shape.limit.unwrap().default(20) })

type Comparison = { label: Message; of: (side: MergeSide) => Child }

const comparisons = (base: string): Comparison[] => [
  {
    label: m.layout_customer,
    of: ({ id, externalId }) => <a href={`${base}/customers/${id}`}>{externalId}</a>,
  },
  { label: m.email_address, of: ({ email }) => email ?? t(m.customers_unknown) },
  { label: m.partner, of: (side) => <PartnerOf base={base} row={side} none={t(m.layout_none)} /> },
  {
    label: m.customers_sales,
    of: ({ paid }) => figure(paid.reduce((count, { sales }) => count + sales, 0)),
  },
  {
    label: m.customers_paid,
    of: ({ paid }) =>
      paid.map(({ amountCents, currency }) => money(amountCents, currency)).join(', ') ||
      t(m.layout_none),
  },
]

type PairProps = { base: string; pair: PossibleMergeRow; mayDecide: boolean }

const Pair = ({ base, pair, mayDecide }: PairProps) => {
  const { id, customer, namedCustomer, checkoutId, saleId, createdAt } = pair
  const what = t(m.customers_pair, { one: customer.externalId, other: namedCustomer.externalId })
  const path = `${base}/possible-merges/${id}`
  return (
    <section class="card compare">
      <h2>{what}</h2>
      <p>
        {t(m.customers_pair_evidence, {
          checkout: () =>
            saleId ? (
              <a href={`${base}/events/${saleId}`}>{checkoutId}</a>
            ) : (
              <code>{checkoutId}</code>
            ),
          day: () => <Time at={createdAt} />,
          other: namedCustomer.externalId,
        })}
      </p>
      <Table
        caption={what}
        head={[t(m.customers_detail), t(m.customers_who_paid), t(m.customers_who_is_named)]}
      >
        {comparisons(base).map(({ label, of }) => (
          <tr>
            <th scope="row">{t(label)}</th>
            <td>{of(customer)}</td>
            <td>{of(namedCustomer)}</td>
          </tr>
        ))}
      </Table>
      {mayDecide && (
        <div class="actions">
          <form method="post" action={`${path}/merge`}>
            <DangerButton>{t(m.customers_merge_what, { what, hidden })}</DangerButton>
          </form>
          <form method="post" action={`${path}/dismiss`}>
            <button type="submit">{t(m.customers_dismiss_what, { what, hidden })}</button>
          </form>
        </div>
      )}
    </section>
  )
}

type Env = WorkspaceEnv & { Bindings: { CREDITS: CreditsService } }

/** Renders the page, with the reason if a decision was refused. */
const show = async (c: Context<Env>, refusal?: string) => {
  const t = textsOf(c)
  const { db, workspace } = c.var
  const { data: request } = readFilters(c, MergePage)
  if (!request) throw noSuchPage()
  const { cursor, limit } = request
  const rows = await listPossibleMerges(db, workspace.id, {
    status: 'open',
    cursor,
    limit: limit + 1,
  })
  const { data, nextCursor } = page(rows, limit)
  const base = `/app/${workspace.slug}`
  const children = (
    <>
      <LinkLine href={`${base}/customers`}>{t(m.layout_customers)}</LinkLine>
      <h1>{t(m.customers_possible_merges)}</h1>
      <Problem message={refusal} />
      <Done message={refusal ? undefined : noticeFor(DONE, c.req.query('done'))} />
      <p>{t(m.customers_merges_intro, { link: linkTo('/docs/stripe#possible-merges') })}</p>
      {data.map((pair) => (
        <Pair
          base={base}
          pair={pair}
          mayDecide={mayOpen(workspace, 'POST /possible-merges/:id/merge')}
        />
      ))}
      {data.length === 0 && <p class="empty">{t(m.customers_no_possible_merges)}</p>}
      <NextPage url={new URL(`${base}/possible-merges`, c.req.url).href} cursor={nextCursor} />
    </>
  )
  return renderSection(c, '/customers', m.customers_possible_merges, children, refusal ? 409 : 200)
}

const decide = (decision: MergeDecision) => async (c: Context<Env>) => {
  const { workspace } = c.var
  const { id } = await readById(c, 'possible merge', findPossibleMerge)
  const decided = await rpc('stripe-webhook', c.env.CREDITS.decideMerge(actOf(c), id, decision))
  if (decided === 'missing') throw notFound('possible merge')
  if (decided !== decision) return show(c, MERGE_REFUSALS[decided])
  return c.redirect(`/app/${workspace.slug}/possible-merges?done=${decision}`, 303)
}

const PATH = '/app/:workspace/possible-merges'

/**
 * /app/:workspace/possible-merges: customers who may be one. Managers merge them or keep them
 * apart.
 */
export default createRoutes<Env>()
  .get(PATH, (c) => show(c))
  .post(`${PATH}/:id/merge`, freshMembersOnly(), decide('merged'))
  .post(`${PATH}/:id/dismiss`, freshMembersOnly(), decide('dismissed'))
