/** POST /partners: creates a partner by the rules of an import of one row. */
import { type CompiledQuery, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf, newSlugSuffix } from '../../db/ids.ts'
import { lockPartners } from '../../db/locks.queries.ts'
import { unlessTaken } from '../../imports/partners/partner-import.queries.ts'
import {
  decidePartnerImport,
  NOTHING_EXISTS,
  type PartnerRow,
  preferredSlug,
} from '../../imports/partners/partner-import.ts'
import { welcomeDetails } from '../../imports/partners/partner-mails.ts'
import { lostRace } from '../../platform/unavailable.ts'
import { slugKey } from '../../values/slugs.ts'
import { type PartnerRow as Partner, partnerQuery } from '../lists/partners.queries.ts'

/** Attempts: in each round, one of the concurrent requests for a slug succeeds. */
const ROUNDS = 10

export type NewPartner = Omit<
  PartnerRow,
  'openingBalanceCents' | 'otherSlugs' | 'formerLink' | 'group'
> & {
  /** A UUID in lower case, like `groupId`. */
  programId: string
  groupId: string | null
  /** Appends a suffix to a taken slug, as imports do. */
  suffixTaken: boolean
  /** Whether the partner is for tests, and never paid. */
  isTest?: boolean
  /** The sender in the welcome mail; null sends none. */
  welcome: { workspaceName: string; sentBy: string | null; portalUrl: string } | null
}

/**
 * An approved application.
 *
 * @property approvedFor what is saved in the same transaction, for the id of the partner
 * @property isWaiting whether nobody has decided it meanwhile
 */
export type Approved = {
  approvedFor: (partnerId: string) => CompiledQuery[]
  isWaiting: () => Promise<boolean>
}

export type PartnerCreation =
  | { outcome: 'created' | 'exists'; partner: Partner }
  | { outcome: 'program_not_found' | 'group_not_found' | 'coupon_taken' }
  | { outcome: 'slug_taken'; suggestion: string }
type ApplicantCreation = PartnerCreation | { outcome: 'application_decided' }

/** Loads what the new partner depends on, in one database round trip. */
const load = async (db: Db, { workspaceId }: Act, wanted: NewPartner & PartnerRow) => {
  const { programId, email, groupId, coupon } = wanted
  const key = slugKey(preferredSlug(wanted))
  const [[program], [group], [holder], [alias], [existing]] = await db.batch([
    db
      .selectFrom('programs')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', programId)
      .select(['name', 'site_url as siteUrl'])
      .compile(),
    db
      .selectFrom('groups')
      .where('workspace_id', '=', workspaceId)
      .where('program_id', '=', programId)
      .where('id', '=', groupId)
      .select('id')
      .compile(),
    sql<{ slugKey: string }>`
      select slug_key as "slugKey" from partners where workspace_id = ${workspaceId} and program_id = ${programId} and slug_key = ${key}
      union all
      select slug_key from links where workspace_id = ${workspaceId} and program_id = ${programId} and slug_key = ${key}`.compile(
      db,
    ),
    db
      .selectFrom('coupon_aliases')
      .where('workspace_id', '=', workspaceId)
      .where('coupon_id', '=', coupon?.id ?? null)
      .select('id')
      .compile(),
    // Last, because a concurrent copy of the request created what it reserved above together with
    // this partner. Also by a former address, so that a repeat creates nobody twice.
    partnerQuery(
      db,
      workspaceId,
      sql<string>`coalesce(
        (select id from partners where program_id = ${programId} and email = ${email}),
        (select partner_id from former_partner_addresses where program_id = ${programId} and email = ${email}))`,
    ).compile(),
  ])
  const facts = {
    ...NOTHING_EXISTS,
    slugOwners: new Map(holder ? [[holder.slugKey, holder.slugKey]] : []),
    couponOwners: new Map(alias && coupon ? [[coupon.id, '']] : []),
  }
  return { program, existing, group, facts }
}

/**
 * Creates a partner with its coupon, welcome mail and audit entry in one transaction, or returns
 * the partner with the address. Makes two round trips, and two more for each lost race.
 *
 * @throws {Unavailable} if concurrent requests interfered in every round
 */
export async function createPartner(db: Db, act: Act, wanted: NewPartner): Promise<PartnerCreation>
export async function createPartner(
  db: Db,
  act: Act,
  wanted: NewPartner,
  application: Approved,
): Promise<ApplicantCreation>
export async function createPartner(
  db: Db,
  act: Act,
  wanted: NewPartner,
  application?: Approved,
): Promise<ApplicantCreation> {
  const id = idOf(act)
  const row = { ...wanted, otherSlugs: [], openingBalanceCents: 0, formerLink: null, group: null }
  for (let round = 0; round < ROUNDS; round++) {
    const { program, existing, group, facts } = await load(db, act, row)
    if (!program) return { outcome: 'program_not_found' }
    // A repeat with an Idempotency-Key finds the partner that it created.
    if (existing) return { outcome: existing.id === id ? 'created' : 'exists', partner: existing }
    if (wanted.groupId && !group) return { outcome: 'group_not_found' }

    const { newPartners, results } = decidePartnerImport([row], facts, newSlugSuffix)
    const [partner] = newPartners
    const [result] = results
    if (!partner || !result) throw new Error('a row of an import was not decided')
    if (result.requestedSlug && !wanted.suffixTaken) {
      return { outcome: 'slug_taken', suggestion: partner.slug }
    }
    if (wanted.coupon && !partner.coupon) return { outcome: 'coupon_taken' }

    const details = wanted.welcome && welcomeDetails(partner, program, wanted.welcome)
    const saved = await unlessTaken(() =>
      save(db, act, { ...wanted, id, slug: partner.slug, details, application }),
    )
    if (saved) return { outcome: 'created', partner: saved }
    if (application && !(await application.isWaiting())) return { outcome: 'application_decided' }
  }
  throw lostRace('the partners of this program')
}

type Planned = NewPartner & {
  id: string
  slug: string
  details: object | null
  application: Approved | undefined
}

/** Idempotent: rows have ids of the act, and existing ones are kept. */
const save = async (
  db: Db,
  act: Act,
  {
    id,
    programId,
    groupId,
    email,
    name,
    slug,
    coupon,
    isTest = false,
    details,
    application,
  }: Planned,
): Promise<Partner | undefined> => {
  const { workspaceId, now } = act
  const [, , , , [partner]] = await db.batch([
    lockPartners(workspaceId).compile(db),
    sql`select assert_unchanged(not exists (
      select from former_partner_addresses where program_id = ${programId} and email = ${email})
      and not exists (select from links where program_id = ${programId} and slug_key = ${slugKey(slug)}))`.compile(
      db,
    ),
    db
      .insertInto('partners')
      .values({
        id,
        workspace_id: workspaceId,
        program_id: programId,
        group_id: groupId,
        email,
        name,
        slug,
        slug_key: slugKey(slug),
        is_test: isTest,
        created_at: now,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .compile(),
    auditEntry(db, {
      ...act,
      action: 'partner.created',
      subjectId: id,
      details: {
        email,
        slug,
        ...(coupon && { couponId: coupon.id }),
        sendWelcomeEmail: details !== null,
      },
    }).compile(),
    partnerQuery(db, workspaceId, id).compile(),
    ...(coupon
      ? [
          db
            .insertInto('coupon_aliases')
            .values({
              id: idOf(act, 1),
              workspace_id: workspaceId,
              partner_id: id,
              coupon_id: coupon.id,
              label: coupon.label,
              created_at: now,
            })
            .onConflict((conflict) => conflict.column('id').doNothing())
            .compile(),
        ]
      : []),
    ...(details
      ? [
          sql`
            insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
            values (${idOf(act, 2)}, ${workspaceId}, 'welcome', ${email}, ${id}, ${JSON.stringify(details)}::jsonb, ${now}, ${now})
            on conflict do nothing`.compile(db),
        ]
      : []),
    ...(application?.approvedFor(id) ?? []),
  ])
  return (
    partner && {
      ...partner,
      coupons: coupon ? [{ couponId: coupon.id, couponLabel: coupon.label }] : [],
    }
  )
}

/**
 * The test partner of a program: created once, without mails, at an address that nobody can have.
 *
 * @throws {Unavailable} as `createPartner`
 */
export const createTestPartner = async (
  db: Db,
  act: Act,
  programId: string,
): Promise<PartnerCreation> => {
  const there = await db
    .selectFrom('partners')
    .where('workspace_id', '=', act.workspaceId)
    .where('program_id', '=', programId)
    .where('is_test', '=', true)
    .select('id')
    .executeTakeFirst()
  const [partner] = there ? await partnerQuery(db, act.workspaceId, there.id).execute() : []
  if (partner) return { outcome: 'exists', partner }
  return createPartner(db, act, {
    programId,
    groupId: null,
    email: `test@${programId}.invalid`,
    name: 'Test partner',
    slug: 'test',
    coupon: null,
    suffixTaken: true,
    isTest: true,
    welcome: null,
  })
}
