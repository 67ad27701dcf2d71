/** What needs attention, on the overview: what the reader can look at. */

import { mayOpen, type PageRoute } from '../../../lib/auth/roles/roles.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { MAX_COUNT, type Overview } from '../../../lib/overview/overview.queries.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { payableIn } from '../../../lib/payouts/balances/balances.ts'
import { isSilent } from '../../../lib/purchases/reconcile/silence.ts'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import { isForMany, isOtherUnit } from '../../../lib/tracking/checks/unlikely-reports.ts'

const DAY_MS = 86_400_000

/** A count that stops at a limit. */
export const upToMost = (number: number): string =>
  number > MAX_COUNT ? t(m.overview_more_than, { number: figure(MAX_COUNT) }) : figure(number)

const tally = (count: number, message: Message<{ count: number; shown: string }>): string =>
  t(message, { count, shown: upToMost(count) })

type Props = {
  overview: Overview
  /** Passkeys of members that do not count yet. */
  waitingPasskeys: number
  workspace: Workspace
  /** The workspace's path. */
  base: string
  now: Date
}

type Item = {
  isOpen: boolean
  text: string
  /** The page, which not everybody may open. */
  route?: PageRoute
  href: string
}

/** Most urgent first. */
const attentionOf = ({ overview, waitingPasskeys, base, now }: Props): Item[] => [
  {
    isOpen: waitingPasskeys > 0,
    text: tally(waitingPasskeys, m.overview_waiting_passkeys),
    route: 'GET /members',
    href: `${base}/members`,
  },
  {
    isOpen: overview.foundTransfers > 0,
    text: tally(overview.foundTransfers, m.overview_found_transfers),
    route: 'GET /audit',
    href: `${base}/audit`,
  },
  {
    isOpen: overview.unknownTransfers > 0,
    text: tally(overview.unknownTransfers, m.overview_unknown_transfers),
    route: 'GET /import',
    href: `${base}/import`,
  },
  ...overview.earned.flatMap(({ currency }) => {
    const { blockedCents, owedCents } = payableIn(overview.balances, currency)
    return [
      {
        isOpen: blockedCents > 0n,
        text: t(m.overview_blocked, { amount: money(blockedCents, currency) }),
        href: `${base}/payouts`,
      },
      {
        isOpen: owedCents > 0n,
        text: t(m.overview_owed_back, { amount: money(owedCents, currency) }),
        href: `${base}/payouts`,
      },
    ]
  }),
  {
    isOpen: overview.applications > 0,
    text: tally(overview.applications, m.overview_applications),
    href: `${base}/applications?status=applied`,
  },
  {
    isOpen: overview.held > 0,
    text: tally(overview.held, m.overview_held),
    href: `${base}/commissions/held`,
  },
  {
    isOpen: overview.possibleMerges > 0,
    text: tally(overview.possibleMerges, m.overview_possible_merges),
    href: `${base}/possible-merges`,
  },
  {
    isOpen: overview.likelyCredits > 0,
    text: tally(overview.likelyCredits, m.overview_likely_credits),
    href: `${base}/uncredited?show=likely`,
  },
  {
    isOpen: overview.mismatches > 0,
    text: tally(overview.mismatches, m.overview_mismatches),
    href: `${base}/mismatches`,
  },
  ...(overview.busiestCustomer ? [overview.busiestCustomer] : []).map((busiest) => ({
    isOpen: isForMany(busiest),
    text: t(m.overview_busiest_customer, {
      customerExternalId: busiest.customerExternalId,
      sales: String(busiest.sales),
      ofSales: String(busiest.ofSales),
    }),
    href: '/docs/guide-test-your-integration#one-customer-for-all-guests',
  })),
  ...overview.medianAmounts.map((medians) => ({
    isOpen: isOtherUnit(medians),
    text: t(m.overview_other_unit, {
      program: medians.program,
      before: money(medians.beforeCents, medians.currency),
      latest: money(medians.latestCents, medians.currency),
    }),
    href: '/docs/guide-test-your-integration#cents',
  })),
  {
    isOpen: overview.failedPayouts > 0,
    text: tally(overview.failedPayouts, m.overview_failed_payouts),
    href: `${base}/payouts/all?status=failed`,
  },
  {
    isOpen: overview.unreadable > 0,
    text: tally(overview.unreadable, m.overview_unreadable),
    route: 'GET /stripe',
    href: `${base}/stripe?unreadable=true#received`,
  },
  ...(overview.deliveries ? [overview.deliveries] : []).map((deliveries) => ({
    isOpen: isSilent(deliveries, now),
    text: t(m.overview_silent_stripe, {
      days: Math.floor((now.getTime() - deliveries.lastAt.getTime()) / DAY_MS),
    }),
    route: 'GET /stripe' as const,
    href: `${base}/stripe`,
  })),
  {
    isOpen: overview.overdue > 0,
    text: tally(overview.overdue, m.overview_overdue),
    href: `${base}/events?overdue=true`,
  },
  {
    isOpen: overview.failingEndpoints > 0,
    text: tally(overview.failingEndpoints, m.overview_failing_endpoints),
    route: 'GET /webhooks',
    href: `${base}/webhooks`,
  },
  {
    isOpen: overview.failedMails > 0,
    text: tally(overview.failedMails, m.overview_failed_mails),
    route: 'GET /mails',
    href: `${base}/mails?status=failed`,
  },
  {
    isOpen: overview.managers < 2,
    text: t(m.overview_one_manager),
    route: 'GET /members',
    href: `${base}/members`,
  },
]

export const Attention = (props: Props) => {
  const open = attentionOf(props).filter(
    ({ isOpen, route }) => isOpen && (!route || mayOpen(props.workspace, route)),
  )
  return (
    <section class="card">
      <h2>{t(m.overview_needs_attention)}</h2>
      {open.length === 0 ? (
        <p>{t(m.overview_nothing_open)}</p>
      ) : (
        <ul class="attention">
          {open.map(({ text, href }) => (
            <li>
              <span>{text}</span>
              <a class="nowrap" href={href}>
                {t(m.overview_view_text, { text, hidden })}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
