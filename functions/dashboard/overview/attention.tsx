/** What needs attention, as far as the reader may open the pages. */

import { mayOpen, type PageRoute } from '../../../lib/auth/roles/roles.ts'
import * as m from '../../../lib/languages/messages.ts'
import type { Overview } from '../../../lib/overview/overview.queries.ts'
import { LinkLine } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { payableIn } from '../../../lib/payouts/balances/balances.ts'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import type { Finding } from '../../../lib/tracking/checks/findings.ts'
import { hrefIn, tally, WORDS } from '../checks/findings.ts'

type Props = {
  overview: Overview
  /** Passkeys of members that do not count yet. */
  waitingPasskeys: number
  workspace: Workspace
  base: string
}

type Item = {
  isOpen: boolean
  text: string
  /** The page's route, which not every role may open. */
  route?: PageRoute
  href: string
}

/** Held commissions already include possible duplicates. Refused visits may have any cause. */
const isOwnItem = ({ check }: Finding): boolean =>
  check !== 'possible_duplicates' && check !== 'refused_visits'

/** Most urgent first. */
const attentionOf = ({ overview, waitingPasskeys, base }: Props): Item[] => [
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
  ...overview.findings.filter(isOwnItem).map((finding) => {
    const { text, href, route } = WORDS[finding.check]
    return {
      isOpen: true,
      text: text(finding),
      href: hrefIn(base, href(finding)),
      ...(route && { route }),
    }
  }),
  {
    isOpen: overview.failedPayouts > 0,
    text: tally(overview.failedPayouts, m.overview_failed_payouts),
    href: `${base}/payouts/all?status=failed`,
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
      <LinkLine href={`${props.base}/checks`}>{t(m.overview_all_checks)}</LinkLine>
    </section>
  )
}
