import { describe, expect, inject, test } from 'vitest'
import { seeder } from '../../dev/demo/seed.ts'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import { listMails, retryMail } from '../../lib/mail/mails.queries.ts'
import type { MailStatus } from '../../lib/mail/mails.ts'
import { invitationMail } from '../../lib/mail/outbox/outbox.queries.ts'
import { type MailResult, saveMailResults } from '../../lib/mail/outbox/queue.queries.ts'
import { useDatabase } from '../support/merchant.ts'

const database = useDatabase()
const DETAILS = {
  workspaceName: 'Pine Notes',
  role: 'member',
  invitedBy: 'ann@pine.example',
  url: 'https://track.example/',
} as const
const NOW = new Date('2026-05-01T12:00:00Z')
// Far enough that no mailer takes them meanwhile.
const LATER = new Date('2126-05-01T12:00:00Z')

const db = () => connect(inject('database'))

const newWorkspace = async () => (await seeder(inject('database')).addWorkspace()).id

const invitation = (workspaceId: string, recipient: string, now = LATER) =>
  invitationMail({ workspaceId, actor: 'ann@pine.example', now }, recipient, DETAILS)

/** A mail in the outbox that is in a certain state. */
const addMail = async (workspaceId: string, status: MailStatus = 'queued'): Promise<string> => {
  await invitation(workspaceId, `${newId()}@pine.example`).execute(db())
  const [row] = await listMails(db(), workspaceId, { limit: 1 })
  const id = row?.id ?? ''
  const state = {
    queued: '',
    held: ', is_held = true',
    retrying: ', attempts = 3',
    sent: ', attempts = 1, sent_at = now()',
    delivered: ", attempts = 1, sent_at = now(), delivery = 'delivered'",
    bounced: ", attempts = 1, sent_at = now(), delivery = 'bounced'",
    suppressed: ", attempts = 1, sent_at = now(), delivery = 'suppressed'",
    complained: ", attempts = 1, sent_at = now(), delivery = 'complained'",
    failed: ', attempts = 8, failed_at = now()',
  }
  await database.query(
    `update mails set last_error = 'why'${state[status]}, first_attempt_at = now() where id = $1`,
    [id],
  )
  return id
}

test('an invitation repeated after an unseen commit is one mail', async () => {
  const workspaceId = await newWorkspace()
  const statement = invitation(workspaceId, 'leo@pine.example').compile(db())
  await db().batch([statement, statement])
  expect(await listMails(db(), workspaceId, { limit: 10 })).toMatchObject([
    {
      kind: 'invitation',
      recipient: 'leo@pine.example',
      status: 'queued',
      attempts: 0,
      partnerId: null,
    },
  ])
})

test('an address is mailed one invitation to a workspace per day, however often it is removed and invited again', async () => {
  const workspaceId = await newWorkspace()
  const [soon, late] = [new Date(+LATER + 86_399_999), new Date(+LATER + 86_400_000)]
  for (const at of [LATER, soon, late])
    await invitation(workspaceId, 'leo@pine.example', at).execute(db())
  await invitation(await newWorkspace(), 'leo@pine.example', soon).execute(db())
  expect((await listMails(db(), workspaceId, { limit: 10 })).map((mail) => mail.createdAt)).toEqual(
    [late, LATER],
  )
})

describe('the list of mails', () => {
  test('is newest first, paginated, of one workspace, and filtered by status on request', async () => {
    const workspaceId = await newWorkspace()
    await addMail(await newWorkspace())
    const ids = [
      await addMail(workspaceId, 'complained'),
      await addMail(workspaceId, 'suppressed'),
      await addMail(workspaceId, 'bounced'),
      await addMail(workspaceId, 'delivered'),
      await addMail(workspaceId, 'sent'),
      await addMail(workspaceId, 'failed'),
      await addMail(workspaceId, 'retrying'),
      await addMail(workspaceId),
    ].reverse()
    const first = await listMails(db(), workspaceId, { limit: 3 })
    expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 3))
    expect(first.map(({ status }) => status)).toEqual(['queued', 'retrying', 'failed'])
    const rest = await listMails(db(), workspaceId, { limit: 9, cursor: ids[2] })
    expect(rest.map(({ id }) => id)).toEqual(ids.slice(3))
    for (const [index, status] of (
      [
        'queued',
        'retrying',
        'failed',
        'sent',
        'delivered',
        'bounced',
        'suppressed',
        'complained',
      ] as const
    ).entries()) {
      const found = await listMails(db(), workspaceId, { limit: 10, status })
      expect(found.map(({ id }) => id)).toEqual([ids[index]])
    }
  })
})

describe('retrying a mail', () => {
  const retry = (workspaceId: string, id: string) =>
    retryMail(db(), { workspaceId, actor: 'ann@pine.example', now: NOW }, id)
  const audit = (id: string) => database.audit({ workspace: { id } })

  test('makes a failed mail due immediately, with all its attempts, and is in the audit log', async () => {
    const workspaceId = await newWorkspace()
    const id = await addMail(workspaceId, 'failed')
    expect(await retry(workspaceId, id)).toMatchObject({
      id,
      status: 'queued',
      attempts: 0,
      lastError: null,
      nextAttemptAt: NOW,
    })
    expect(await audit(workspaceId)).toEqual([
      {
        actor: 'ann@pine.example',
        action: 'mail.retried',
        subject_id: id,
        details: { recipient: expect.stringMatching(/@pine\.example$/), kind: 'invitation' },
      },
    ])
    await database.query('delete from mails where id = $1', [id]) // due, and nobody's
  })

  test('is applied once, however often it is requested', async () => {
    const workspaceId = await newWorkspace()
    const id = await addMail(workspaceId, 'failed')
    const answers = await Promise.all([
      retry(workspaceId, id),
      retry(workspaceId, id),
      retry(workspaceId, id),
    ])
    expect(answers.map((mail) => mail?.status)).toEqual(['queued', 'queued', 'queued'])
    expect(await audit(workspaceId)).toHaveLength(1)
    await database.query('delete from mails where id = $1', [id])
  })

  test.each(['queued', 'retrying', 'sent'] as const)(
    'does not change a mail that is %s',
    async (status) => {
      const workspaceId = await newWorkspace()
      const id = await addMail(workspaceId, status)
      expect(await retry(workspaceId, id)).toMatchObject({ status, lastError: 'why' })
      expect(await audit(workspaceId)).toEqual([])
    },
  )

  test('does not find another workspace’s mail', async () => {
    const workspaceId = await newWorkspace()
    const id = await addMail(workspaceId, 'failed')
    expect(await retry(await newWorkspace(), id)).toBe(undefined)
    expect(await retry(workspaceId, newId())).toBe(undefined)
    expect(await listMails(db(), workspaceId, { limit: 1 })).toMatchObject([{ status: 'failed' }])
  })
})

describe('the late result of a run whose lease has expired', () => {
  const NOTHING = { personal: null, bulk: null }
  const save = async (status: MailStatus, change: Partial<MailResult>) => {
    const workspaceId = await newWorkspace()
    const id = await addMail(workspaceId, status)
    const late: MailResult = {
      id,
      attempts: 2,
      keyVersion: 0,
      outcome: 'failed',
      nextAttemptAt: null,
      error: 'late',
      batchId: null,
      ...change,
    }
    await saveMailResults(db(), [late], NOTHING, NOW)
    await saveMailResults(db(), [late], NOTHING, NOW)
    return (await listMails(db(), workspaceId, { limit: 1 }))[0]
  }

  test.each([
    {
      case: 'does not apply a failure',
      status: 'retrying',
      change: {},
      is: { status: 'retrying', attempts: 3 },
    },
    {
      case: 'does not apply a pause',
      status: 'retrying',
      change: { outcome: 'waiting' },
      is: { attempts: 3 },
    },
    {
      case: 'marks the mail as sent',
      status: 'retrying',
      change: { outcome: 'sent' },
      is: { status: 'sent' },
    },
    {
      case: 'marks a failed mail as sent',
      status: 'failed',
      change: { outcome: 'sent' },
      is: { status: 'sent' },
    },
    {
      case: 'does not change a sent mail',
      status: 'sent',
      change: { attempts: 1 },
      is: { status: 'sent' },
    },
    {
      case: 'deducts an attempt that was not made once, however often it is saved',
      status: 'retrying',
      change: { attempts: 3, outcome: 'waiting' },
      is: { attempts: 2 },
    },
  ] as const)('$case', async ({ status, change, is }) => {
    expect(await save(status, change)).toMatchObject(is)
  })
})
