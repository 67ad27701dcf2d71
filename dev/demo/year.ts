/**
 * A year in the life of a merchant, Alder Press, so that every page of the demo has something to
 * look at from the beginning. Its sales are decided and saved by the code that the Workers run,
 * each at its own time. The same every time, but for ids and today's date.
 */
import { CompiledQuery, Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { hashApiKey } from '../../lib/auth/keys/api-keys.ts'
import { newId } from '../../lib/db/ids.ts'
import type { Client } from '../../lib/db/neon.ts'
import type { Tables } from '../../lib/db/tables.ts'
import { decide } from '../../lib/rules/decisions/decide.ts'
import { decideHolds } from '../../lib/rules/holds/decide-holds.ts'
import { loadReportFacts } from '../../lib/tracking/reports/facts.queries.ts'
import { saveReport, toSaved } from '../../lib/tracking/reports/reports.queries.ts'
import { slugKey, toAscii } from '../../lib/values/slugs.ts'
import { seeder } from './seed.ts'
import {
  type Click,
  createClicks,
  createDice,
  createPartners,
  createReports,
  DAY_MS,
  DAYS,
  ORIGIN,
  type Partner,
  type Timed,
} from './year-plan.ts'

/** The slug of the workspace. */
export const YEAR_WORKSPACE = 'alder-press'

type Db = Transaction<Tables>

const insertClicks = (db: Db, workspaceId: string, clicks: Click[]) =>
  sql`
  insert into clicks (id, workspace_id, partner_id, slug_key, landing_url, referrer, created_at, expires_at)
  select c.id, ${workspaceId}, p.id, p.slug_key, c."landingUrl", c.referrer, c.at, c.at + make_interval(days => c.days)
  from jsonb_to_recordset(${JSON.stringify(clicks)}::jsonb)
    as c (id text, "partnerId" uuid, "landingUrl" text, referrer text, at timestamptz, days integer)
  join partners p on p.id = c."partnerId"`.execute(db)

/** Decides and saves reports, each at its time, as the tracking Workers do. */
const record = async (
  db: Db,
  workspaceId: string,
  apiKey: string,
  reports: Timed[],
): Promise<void> => {
  const client: Client = {
    query: async <Row>(text: string, values: unknown[]) =>
      (await db.executeQuery<Row>(CompiledQuery.raw(text, values))).rows,
    fetches: () => 0,
  }
  const keyHash = (await hashApiKey(apiKey)) ?? ''
  for (const { at: now, report } of reports) {
    const facts = await loadReportFacts(client, keyHash, report, now)
    if (typeof facts === 'string') throw new Error(`The demo's API key is refused: ${facts}.`)
    const { customer, adoptsSales, mayBeDuplicate, refunds, click } = facts
    const decision = decide(report, facts, now)
    const decided = {
      workspaceId,
      report,
      customer,
      adoptsSales,
      mayBeDuplicate,
      refunds,
      click,
      decision,
      occurredAt: now,
      receivedAt: now,
    }
    const saved = toSaved({ ...decided, bodyHash: 'demo' })
    const { status } = await saveReport(client, saved, decideHolds)
    if (status !== 'saved') throw new Error('A report of the demo conflicts with nothing.')
  }
}

/** Pays by bank what is payable at a time, as a manager does at the beginning of a month. */
const pay = async (db: Db, workspaceId: string, manager: string, at: Date): Promise<void> => {
  const runId = newId()
  await sql`
    insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at, marked_paid_at, confirmed_at)
    values (${runId}, ${workspaceId}, 'manual', ${at}, ${manager}, ${at}, ${at}, ${at}, ${at})`.execute(
    db,
  )
  const isDue = sql`c.workspace_id = ${workspaceId} and c.payout_id is null and c.payable_at <= ${at}
    and not exists (select from commission_holds h where h.commission_id = c.id and h.resolved_at is null)`
  await sql`
    insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at, claimed_at, next_attempt_at,
                         paid_at)
    select uuidv7(), ${workspaceId}, ${runId}, c.program_id, c.partner_id, c.currency, sum(c.amount_cents), ${at}, ${at}, ${at}, ${at}
    from commissions c join partners p on p.id = c.partner_id
    where ${isDue} and p.status = 'approved'
    group by c.program_id, c.partner_id, c.currency having sum(c.amount_cents) >= 2500
    order by c.partner_id`.execute(db)
  await sql`
    update commissions c set payout_id = p.id from payouts p
    where p.run_id = ${runId} and c.partner_id = p.partner_id and c.currency = p.currency and ${isDue}`.execute(
    db,
  )
}

/** The page on which people apply, and those who have. */
const addApplications = async (
  db: Db,
  workspaceId: string,
  programId: string,
  manager: string,
  now: Date,
) => {
  const questions = ['How many people read or follow you?', 'Have you used Alder?']
  await db
    .insertInto('join_pages')
    .values({
      program_id: programId,
      workspace_id: workspaceId,
      is_open: true,
      intro:
        'Alder is the editor for people who write long things.\n\nWe look for writers, teachers and reviewers who use it.',
      questions: JSON.stringify(questions),
      approves: false,
      group_id: null,
    })
    .execute()
  // Without a logo: only one at an https address is shown.
  await db
    .insertInto('brands')
    .values({
      program_id: programId,
      workspace_id: workspaceId,
      logo_url: null,
      accent_color: '#3d4f9f',
      support_email: 'partners@alder.example',
      version: 1,
      change_id: programId,
    })
    .execute()
  await db
    .insertInto('agreements')
    .values({
      program_id: programId,
      version: 1,
      workspace_id: workspaceId,
      content: '1. Say that you are a partner.\n2. No ads on our name.\n3. No spam.',
      created_by: manager,
      created_at: now,
    })
    .execute()
  const applicants = [
    'Hana Weber',
    'Mateo Rossi',
    'Priya Moreau',
    'Yuki Jensen',
    'Emeka Dubois',
    'Lena Haddad',
  ]
  for (const [index, name] of applicants.entries()) {
    const at = new Date(now.getTime() - (applicants.length - index) * 0.7 * DAY_MS)
    const isRejected = index === 0
    await db
      .insertInto('applications')
      .values({
        id: newId(),
        workspace_id: workspaceId,
        program_id: programId,
        email: `${toAscii(name)}@applicants.example`,
        name,
        site_url: `https://${toAscii(name)}.example`,
        promotion: 'I write a newsletter about writing, and would show how I use Alder.',
        answers: JSON.stringify(
          questions.map((question) => ({ question, answer: index % 2 ? 'About 4,000' : 'Yes' })),
        ),
        agreement_version: 1,
        applied_at: at,
        ...(isRejected && {
          outcome: 'rejected' as const,
          decided_at: now,
          decided_by: manager,
          reason: 'The site does not open.',
        }),
      })
      .execute()
  }
}

/** The first days of the months between two times. */
const monthsBetween = (start: Date, now: Date): Date[] => {
  const firsts = Array.from(
    { length: 14 },
    (_, index) => new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + index, 1, 9)),
  )
  return firsts.filter((first) => first > start && first < now)
}

const fill = async (
  db: Db,
  people: { manager: string; member: string },
  now: Date,
): Promise<void> => {
  const dice = createDice(20_26)
  const start = new Date(now.getTime() - DAYS * DAY_MS)
  const seed = seeder({ DATABASE_URL: '' }, () => db as unknown as Kysely<Tables>)
  const { id: workspaceId } = await seed.addWorkspace({
    slug: YEAR_WORKSPACE,
    name: 'Alder Press',
    manualPayouts: true,
  })
  await seed.addMember(workspaceId, people.manager, 'manager')
  await seed.addMember(workspaceId, people.member, 'member')
  const apiKey = await seed.addApiKey(workspaceId, { name: 'backend' })
  const programId = await seed.addProgram(workspaceId, {
    name: 'Alder partners',
    site_url: ORIGIN,
    reward: { percent: 25 },
    reward_duration_months: 12,
    attribute_known_customers: true,
  })
  const insiders = await seed.addGroup(workspaceId, programId, {
    name: 'Insiders',
    saleReward: { percent: 35 },
    leadReward: { amountCents: 100n, currency: 'USD' },
  })
  const partners: Partner[] = []
  for (const [index, partner] of createPartners(dice, start).entries()) {
    const { name, email } = partner
    const groupId = index % 9 === 1 ? insiders : null
    const id = await seed.addPartner(workspaceId, programId, {
      slug: toAscii(name),
      name,
      email,
      groupId,
    })
    await db
      .updateTable('partners')
      .set({ created_at: partner.joined })
      .where('id', '=', id)
      .execute()
    if (index % 12 === 0)
      await seed.addCoupon(workspaceId, id, `${slugKey(toAscii(name)).toUpperCase()}-10`)
    partners.push({ ...partner, id })
  }
  const clicks = createClicks(dice, partners, start, now)
  await insertClicks(db, workspaceId, clicks)
  const reports = createReports(dice, clicks, now)
  let from = start
  for (const month of [...monthsBetween(start, now), now]) {
    await record(
      db,
      workspaceId,
      apiKey,
      reports.filter(({ at }) => at >= from && at < month),
    )
    if (month < now) await pay(db, workspaceId, people.manager, month)
    from = month
  }
  await addApplications(db, workspaceId, programId, people.manager, now)
  // Two did not keep to the terms.
  for (const { id } of partners.slice(40, 42)) {
    await db.updateTable('partners').set({ status: 'banned' }).where('id', '=', id).execute()
  }
}

/**
 * Adds the workspace with its year, in one transaction, unless it is there.
 *
 * @param people the addresses of its manager and its member
 * @returns whether it was added
 */
export const addYear = async (
  databaseUrl: string,
  people: { manager: string; member: string },
  now = new Date(),
): Promise<boolean> => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  // Postgres may be stopped meanwhile: then the transaction fails, and nothing was added.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    const isAdded = await db.transaction().execute(async (transaction) => {
      // Of concurrent calls, the first one adds it, and the others wait.
      await sql`select pg_advisory_xact_lock(hashtext(${YEAR_WORKSPACE}))`.execute(transaction)
      const found = await transaction
        .selectFrom('workspaces')
        .select('id')
        .where('slug', '=', YEAR_WORKSPACE)
        .executeTakeFirst()
      if (!found) await fill(transaction, people, now)
      return !found
    })
    if (!isAdded) return false
    await sql`select fold_totals(1000000)`.execute(db)
    return true
  } finally {
    await db.destroy()
  }
}
