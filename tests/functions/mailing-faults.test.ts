// @module-tag thorough
/** Emails to many partners, and unsubscribing, while the database fails. */
import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { unsubscribeToken } from '../../lib/mail/mailings/unsubscribe.ts'
import type { Fault } from '../support/faulty-database.ts'
import { useFaultyManage } from '../support/faulty-manage.ts'
import { useDatabase } from '../support/merchant.ts'

const database = useDatabase()
const { createMerchant, watch } = useFaultyManage()

/** A manager and a partner, whose calls go through a database that fails as planned. */
const createWatched = async () => {
  const merchant = await createMerchant()
  const { id, slug } = merchant.workspace
  const manager = `manager@${slug}.example`
  await merchant.seed.addMember(id, manager)
  const { submit, ...watched } = watch([id, slug, merchant.partnerId], manager)
  const formId = newId()
  const [row] = await database.query<{ key: string }>('select key from unsubscribe_key')
  const link = `/unsubscribe/${await unsubscribeToken(row?.key ?? '', merchant.partnerId)}`
  const state = async () => {
    const [found] = await database.query(
      `select (select count(*)::int from mails where workspace_id = $1 and kind in ('message', 'moved')) as mails,
              (select count(*)::int from mailings where workspace_id = $1) as mailings,
              (select count(*)::int from mail_optouts where workspace_id = $1) as optouts,
              array(select action from audit_entries where workspace_id = $1 order by id) as log`,
      [id],
    )
    return found
  }
  return {
    ...watched,
    state,
    send: async () =>
      (
        await submit('dashboard', `/app/${slug}/partners/mail/send`, {
          [`choice-${merchant.partnerId}`]: 'on',
          formId,
          subject: 'News',
          intro: 'News.',
        })
      ).status,
    sendMoved: async () =>
      (
        await submit('dashboard', `/app/${slug}/partners/moved/send`, {
          [`choice-${merchant.partnerId}`]: 'on',
        })
      ).status,
    unsubscribe: async () => (await submit('portal', link, {})).status,
  }
}
type Watched = Awaited<ReturnType<typeof createWatched>>

const CHANGES = [
  {
    change: 'an email to many',
    status: 303,
    send: ({ send }: Watched) => send(),
    after: { mails: 1, mailings: 1, optouts: 0, log: ['partners.mailed'] },
  },
  {
    change: 'the “We’ve moved” email to many',
    status: 303,
    send: ({ sendMoved }: Watched) => sendMoved(),
    after: { mails: 1, mailings: 0, optouts: 0, log: ['partners.mailed'] },
  },
  {
    change: 'unsubscribing',
    status: 200,
    send: ({ unsubscribe }: Watched) => unsubscribe(),
    after: { mails: 0, mailings: 0, optouts: 1, log: ['partner.unsubscribed'] },
  },
]

/** Reads by what names nobody are not watched, so the write is the first or the third fetch. */
const READS: Record<string, number> = {
  'an email to many': 2,
  'the “We’ve moved” email to many': 2,
  unsubscribing: 1,
}
const untilWrite = (change: string) => Array.from({ length: READS[change] ?? 0 }, () => null)

const LOSING: Fault[] = ['cut_before', 'cut_after', 'half', 'empty', 'shutdown_57P01', 'own_twin']

describe('a change whose response was lost is made once', () => {
  test.concurrent.each(LOSING.flatMap((fault) => CHANGES.map((change) => ({ ...change, fault }))))(
    '$change: $fault',
    async ({ change, fault, send, status, after }) => {
      const watched = await createWatched()
      watched.plan(...untilWrite(change), fault)
      expect(await send(watched)).toBe(status)
      expect(watched.left()).toBe(0)
      expect(await watched.state()).toEqual(after)
    },
  )
})

describe('an unconfirmed change is 503, and a repeat has the same result', () => {
  test.concurrent.each(CHANGES)('$change', async ({ change, send, status, after }) => {
    const watched = await createWatched()
    watched.plan(...untilWrite(change), 'cut_after', 'cut_after', 'cut_after')
    expect(await send(watched)).toBe(503)
    expect(await send(watched)).toBe(status)
    expect(await watched.state()).toEqual(after)
  })
})
