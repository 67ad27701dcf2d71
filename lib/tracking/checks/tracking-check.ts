/** Whether a program's tracking works, for the page "Test your tracking". */
/** Why visits are refused: codes of errors. */
const REFUSAL_REASONS = ['partner_not_found', 'invalid_body', 'rate_limited'] as const
export type RefusalReason = (typeof REFUSAL_REASONS)[number]

export const isRefusalReason = (code: string): code is RefusalReason =>
  REFUSAL_REASONS.some((reason) => reason === code)

/** How long counts of refused visits are kept, in days. */
const REFUSED_DAYS = 7

export const refusedVisitsSince = (now: Date): Date =>
  new Date(now.getTime() - REFUSED_DAYS * 86_400_000)

/** The newest visit through a link. */
export type LastVisit = { at: Date; slug: string; page: string | null; keptAt: Date | null }

/** The newest event of a kind. */
export type LastEvent = {
  kind: 'sale' | 'lead'
  hasClick: boolean
  hasCommission: boolean
  id: string
  externalId: string
  occurredAt: Date
}

export type RefusedVisits = {
  reason: RefusalReason
  slug: string
  page: string
  visits: number
  lastAt: Date
  /** The partner of the slug, if there is one, who is not active. */
  partnerId: string | null
}

export type TrackingFacts = {
  lastVisit: LastVisit | null
  /** The newest visits of the workspace's other programs. */
  otherVisits: { programId: string; name: string; page: string | null }[]
  /** The workspace's newest events, without those with a click of another program. */
  events: LastEvent[]
  refused: RefusedVisits[]
  /** An active partner, for a link to try: the program's test partner, if there is one. */
  partner: { id: string; slug: string; isTest: boolean } | null
}

/** The steps from the first visit to the first commission, in order. */
export type CheckedStep =
  | { step: 'snippet' | 'click' | 'lead' | 'commission'; isDone: boolean }
  | { step: 'program'; isDone: boolean; problem: 'other_program' | 'other_site' | null }
  | { step: 'cookie' | 'sale'; isDone: boolean; problem: 'sale_without_click' | null }

const hostOf = (url: string): string => URL.parse(url)?.hostname.replace(/^www\./, '') ?? ''

/** Whether a page is on the site of a program, or on a subdomain of it. */
export const isOnSite = (page: string, siteUrl: string): boolean =>
  `.${hostOf(page)}`.endsWith(`.${hostOf(siteUrl)}`)

/** The newest of those events. */
export const newestOf = (
  events: LastEvent[],
  wanted: Partial<Pick<LastEvent, 'kind' | 'hasClick' | 'hasCommission'>>,
): LastEvent | undefined =>
  events
    .filter((event) =>
      Object.entries(wanted).every(([name, value]) => event[name as keyof typeof wanted] === value),
    )
    .sort((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime())[0]

/** Which steps have been seen. Each counts by itself: a sale needs no lead. */
export const checkTracking = (
  { lastVisit, otherVisits, events, refused }: TrackingFacts,
  siteUrl: string,
): CheckedStep[] => {
  const seen = [lastVisit?.page, ...refused.map(({ page }) => page)].filter((page) => page)
  const isSeen = lastVisit !== null || refused.length > 0
  const isElsewhere = otherVisits.some(({ page }) => page && isOnSite(page, siteUrl))
  const isOffSite = seen.length > 0 && !seen.some((page) => page && isOnSite(page, siteUrl))
  const sale = newestOf(events, { kind: 'sale', hasClick: true })
  const lost = newestOf(events, { kind: 'sale', hasClick: false })
  const withoutClick = lost && !sale ? 'sale_without_click' : null
  return [
    { step: 'snippet', isDone: isSeen || isElsewhere },
    {
      step: 'program',
      isDone: isSeen && !isOffSite,
      problem: isOffSite ? 'other_site' : !isSeen && isElsewhere ? 'other_program' : null,
    },
    { step: 'click', isDone: lastVisit !== null },
    {
      step: 'cookie',
      isDone: Boolean(lastVisit?.keptAt) || events.some(({ hasClick }) => hasClick),
      problem: withoutClick,
    },
    { step: 'lead', isDone: newestOf(events, { kind: 'lead', hasClick: true }) !== undefined },
    { step: 'sale', isDone: sale !== undefined, problem: withoutClick },
    {
      step: 'commission',
      isDone: newestOf(events, { hasCommission: true, hasClick: true }) !== undefined,
    },
  ]
}
