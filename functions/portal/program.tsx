/** One program on a partner's first page. */

import { formatMoney } from '../../lib/money.ts'
import { Charts, type Series } from '../../lib/pages/chart.tsx'
import { ConnectCard } from '../../lib/pages/connect.tsx'
import { Copyable } from '../../lib/pages/parts.tsx'
import { moneySums } from '../../lib/pages/payouts.tsx'
import { fillSlots, PERIODS, type Period } from '../../lib/periods.ts'
import type { Partnership, PortalData } from '../../lib/portal/portal.queries.ts'
import { partnerLink } from '../../lib/slugs.ts'
import { Balances } from './balances.tsx'

const PERIOD_NAMES = { 30: '30 days', 90: '90 days', 365: '12 months' } as const

const Coupons = ({ codes }: { codes: string[] | null }) =>
  codes && (
    <>
      <h3>Your coupon codes</h3>
      <ul class="codes">
        {codes.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </>
  )

/** The series of one program: the counts, then what was earned, by currency. */
const seriesOf = (partnerId: string, { activity, balances }: PortalData, { slots }: Period): Series[] => {
  const own = activity.filter((point) => point.partnerId === partnerId)
  const count = (value: bigint) => value.toLocaleString('en')
  const earnedNow = own.flatMap(({ currency }) => currency ?? [])
  // Where nothing was earned in this time, nought is shown in what was earned in before.
  const earnedEver = balances.flatMap((one) => (one.partnerId === partnerId ? one.currency : []))
  const currencies = [...new Set(earnedNow.length > 0 ? earnedNow : earnedEver)].sort()
  const counts = (
    [
      ['Clicks', 'clicks'],
      ['Leads', 'leads'],
      ['Sales', 'sales'],
    ] as const
  ).map(([label, series]) => ({
    label,
    values: fillSlots(
      slots,
      own.filter((point) => point.series === series),
    ),
    format: count,
  }))
  const earned = currencies.map((currency) => ({
    label: currencies.length > 1 ? `Earned in ${currency}` : 'Earned',
    values: fillSlots(
      slots,
      own.filter((point) => point.currency === currency),
    ),
    format: (value: bigint) => formatMoney(value, currency),
  }))
  return [...counts, ...earned]
}

const PeriodLinks = ({ days, anchor, what }: { days: number; anchor: string; what: string }) => (
  <nav class="periods" aria-label={`Time shown for ${what}`}>
    {PERIODS.map((choice) => (
      <a href={`/portal?days=${choice}#${anchor}`} aria-current={choice === days ? 'true' : undefined}>
        {PERIOD_NAMES[choice]}
      </a>
    ))}
  </nav>
)

/** How a partner is paid by a workspace, which is the same for all programs that it is in there. */
const HowPaid = ({ workspaceId, data }: { workspaceId: string; data: PortalData }) => {
  const partnerships = data.partnerships.filter((one) => one.workspaceId === workspaceId)
  const account = data.accounts.find((one) => one.workspaceId === workspaceId)
  const [first] = partnerships
  if (!first || (!account && partnerships.every(({ status }) => status === 'banned'))) return null
  if (!account && !first.paysByStripe) {
    return (
      <p class="hint">
        <bdi>{first.workspace}</bdi> doesn’t pay by Stripe, so there is no account for you to connect.
      </p>
    )
  }
  const workspace = { id: workspaceId, name: first.workspace }
  return <ConnectCard workspace={workspace} account={account} owed={owedBy(partnerships, data)} />
}

/** What waits to be paid by a workspace, written out: each currency on its own. */
const owedBy = (partnerships: Partnership[], { balances }: PortalData): string | undefined => {
  const paying = partnerships.filter(({ status }) => status !== 'banned').map(({ id }) => id)
  const owed = balances
    // Programs pay each on its own: what one has paid too much is not set off in another.
    .filter(({ partnerId, payableCents }) => payableCents > 0n && paying.includes(partnerId))
    .map(({ currency, payableCents }) => ({ currency, amountCents: payableCents }))
  return moneySums(owed) || undefined
}

type Props = {
  partnership: Partnership
  data: PortalData
  period: Period
  now: Date
  isFirstOfWorkspace: boolean
}

/** A program: the link first, then what it has brought. Of a workspace's programs, the first says how it pays. */
export const Program = ({ partnership, data, period, now, isFirstOfWorkspace }: Props) => {
  const { id, program, workspace, status, slug, siteUrl, coupons } = partnership
  const anchor = `numbers-${id}`
  return (
    <section class="program" aria-labelledby={`program-${id}`}>
      <h2 id={`program-${id}`}>{program}</h2>
      <p class="hint">{workspace}</p>
      {status === 'banned' && (
        <p class="problem">This program has ended its work with you: the link no longer counts.</p>
      )}
      <h3>Your link</h3>
      <Copyable label={`your link for ${program}`} text={partnerLink(siteUrl, slug)} />
      <Coupons codes={coupons} />
      <Balances
        partnership={partnership}
        balances={data.balances.filter((balance) => balance.partnerId === id)}
        now={now}
      />
      {isFirstOfWorkspace && <HowPaid workspaceId={partnership.workspaceId} data={data} />}
      <div class="over-time" id={anchor}>
        <h3>Over time</h3>
        <PeriodLinks days={period.days} anchor={anchor} what={program} />
      </div>
      <Charts what={program} series={seriesOf(id, data, period)} time={period} />
    </section>
  )
}
