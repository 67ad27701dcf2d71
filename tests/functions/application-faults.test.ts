// @module-tag thorough
import { describe, expect, test } from 'vitest'
import type { Fault } from '../support/faulty-database.ts'
import { useFaultyManage } from '../support/faulty-manage.ts'
import { useDatabase } from '../support/merchant.ts'

const database = useDatabase()
const { createMerchant, watch } = useFaultyManage()

/**
 * An open page with terms, an application that waits and an invitation, whose calls go through a
 * database that fails as planned.
 */
const createWatched = async () => {
  const merchant = await createMerchant()
  const { programId, workspace } = merchant
  const manager = `manager@${workspace.slug}.example`
  await merchant.seed.addMember(workspace.id, manager)
  const person = (name: string) => `${name}@${workspace.slug}.example`
  await database.query(
    `insert into join_pages (program_id, workspace_id, is_open, intro, questions, approves) values ($1, $2, true, '', '[]', false)`,
    [programId, workspace.id],
  )
  await database.query(
    `insert into agreements (program_id, version, workspace_id, content, created_by, created_at) values ($1, 1, $2, 'Terms', 'x', now())`,
    [programId, workspace.id],
  )
  const [waiting] = await database.query<{ id: string }>(
    `insert into applications (id, workspace_id, program_id, email, name, promotion, answers, agreement_version, applied_at)
     values (uuidv7(), $1, $2, $3, 'Ann', 'Blog', '[]', 1, now()) returning id`,
    [workspace.id, programId, person('ann')],
  )
  await database.query(
    `insert into applications (id, workspace_id, program_id, email, name, promotion, answers, invited_at, invited_by)
     values (uuidv7(), $1, $2, $3, '', '', '[]', now() - interval '2 days', $4)`,
    [workspace.id, programId, person('ida'), manager],
  )
  const key = [workspace.id, workspace.slug, programId, merchant.partnerId]
  const { plan, left, call } = watch(key, manager)
  const send =
    (email: string, worker: 'dashboard' | 'portal') =>
    async (path: string, fields: Record<string, string>) =>
      (await watch(key, email).submit(worker, path, fields)).status
  const state = async () => {
    const [row] = await database.query(
      `select array(select split_part(email, '@', 1) || ' ' || status from applications where program_id = $1 order by 1) as applications,
              array(select split_part(email, '@', 1) from partners where program_id = $1 order by 1) as partners,
              array(select kind || ' ' || split_part(recipient, '@', 1) from mails where workspace_id = $2 order by 1) as mails,
              array(select version from agreement_acceptances where program_id = $1) as accepted,
              array(select content from agreements where program_id = $1 order by version) as agreements,
              array(select action from audit_entries where workspace_id = $2 order by action) as log`,
      [programId, workspace.id],
    )
    return row
  }
  return {
    plan,
    left,
    state,
    programId,
    partnerId: merchant.partnerId,
    slug: workspace.slug,
    waiting: waiting?.id,
    person,
    manage: (path: string, fields: Record<string, string> = {}) =>
      send(manager, 'dashboard')(`/app/${workspace.slug}${path}`, fields),
    call: async (path: string, body: object = {}) =>
      (await call('POST', `/${workspace.slug}${path}`, body)).status,
    as: (name: string) => send(name === 'maya' ? 'maya@partner.example' : person(name), 'portal'),
  }
}
type Watched = Awaited<ReturnType<typeof createWatched>>

const BEFORE = {
  applications: ['ann applied', 'ida invited'],
  partners: ['maya'],
  mails: [],
  accepted: [],
  agreements: ['Terms'],
  log: [],
}

const WRITES = [
  {
    write: 'an application',
    reads: 2,
    send: ({ as, programId }: Watched) =>
      as('bea')(`/join/${programId}/apply`, {
        name: 'Bea',
        promotion: 'x',
        accepts: 'on',
        version: '1',
      }),
    after: { ...BEFORE, applications: ['ann applied', 'bea applied', 'ida invited'] },
  },
  {
    write: 'an accepted invitation',
    reads: 5,
    send: ({ as, programId }: Watched) =>
      as('ida')(`/join/${programId}/apply`, { name: 'Ida', accepts: 'on', version: '1' }),
    again: 409,
    after: {
      ...BEFORE,
      applications: ['ann applied', 'ida approved'],
      partners: ['ida', 'maya'],
      mails: ['welcome ida'],
      accepted: [1],
      log: ['application.approved', 'partner.created'],
    },
  },
  {
    write: 'an approval',
    reads: 4,
    send: ({ manage, waiting }: Watched) => manage(`/applications/${waiting}/approve`),
    after: {
      ...BEFORE,
      applications: ['ann approved', 'ida invited'],
      partners: ['ann', 'maya'],
      mails: ['welcome ann'],
      accepted: [1],
      log: ['application.approved', 'partner.created'],
    },
  },
  {
    write: 'an approval by the API',
    reads: 4,
    send: ({ call, waiting }: Watched) => call(`/applications/${waiting}/approve`),
    after: {
      ...BEFORE,
      applications: ['ann approved', 'ida invited'],
      partners: ['ann', 'maya'],
      mails: ['welcome ann'],
      accepted: [1],
      log: ['application.approved', 'partner.created'],
    },
  },
  {
    write: 'a rejection',
    reads: 2,
    send: ({ manage, waiting }: Watched) =>
      manage(`/applications/${waiting}/reject`, { sendsMail: 'on' }),
    after: {
      ...BEFORE,
      applications: ['ann rejected', 'ida invited'],
      mails: ['application_rejected ann'],
      log: ['application.rejected'],
    },
  },
  {
    write: 'an invitation',
    reads: 2,
    send: ({ manage, programId, person }: Watched) =>
      manage('/applications/invite', { programId, emails: `${person('bea')} ${person('ida')}` }),
    after: {
      ...BEFORE,
      applications: ['ann applied', 'bea invited', 'ida invited'],
      mails: ['partner_invitation bea', 'partner_invitation ida'],
      log: ['application.invited'],
    },
  },
  {
    write: 'a deletion',
    reads: 2,
    send: ({ manage, waiting }: Watched) => manage(`/applications/${waiting}/delete`),
    again: 404,
    after: { ...BEFORE, applications: ['ida invited'], log: ['application.deleted'] },
  },
  {
    write: 'accepted terms',
    reads: 0,
    send: ({ as, partnerId }: Watched) => as('maya')('/portal/terms', { partnerId, version: '1' }),
    after: { ...BEFORE, accepted: [1] },
  },
  {
    write: 'changed terms',
    reads: 2,
    send: ({ manage, programId }: Watched) =>
      manage(`/programs/${programId}/applications`, { isOpen: 'on', agreement: 'New' }),
    after: { ...BEFORE, agreements: ['Terms', 'New'], log: ['join_page.changed'] },
  },
]

/** Pages that redirect, or show what became of the addresses. */
const DONE = [200, 303]
const LOSING: Fault[] = ['cut_before', 'cut_after', 'half', 'empty', 'shutdown_57P01']
const untilWrite = (reads: number) => Array.from({ length: reads }, () => null)

describe('what was written although its response was lost is written once', () => {
  test.concurrent.each(LOSING.flatMap((fault) => WRITES.map((write) => ({ ...write, fault }))))(
    '$write: $fault',
    async ({ fault, send, after, reads }) => {
      const watched = await createWatched()
      expect(await watched.state()).toEqual(BEFORE)
      watched.plan(...untilWrite(reads), fault)
      expect(DONE).toContain(await send(watched))
      expect(watched.left()).toBe(0)
      expect(await watched.state()).toEqual(after)
    },
  )
})

describe('what is not confirmed returns 503, and a repeat has the same result', () => {
  test.concurrent.each(WRITES)('$write', async ({ send, after, reads, again }) => {
    const watched = await createWatched()
    watched.plan(...untilWrite(reads), 'cut_after', 'cut_after', 'cut_after')
    expect(await send(watched)).toBe(503)
    expect(again ? [again] : DONE).toContain(await send(watched))
    const state = await watched.state()
    // A page that is saved twice is logged twice.
    expect({ ...state, log: [...new Set(state?.log as string[])] }).toEqual(after)
  })
})
