/**
 * A session that somebody left open, or that was stolen: it must not move money, nor let others in.
 */
import { describe, expect, inject, test } from 'vitest'
import { ANY_SESSION } from '../../api/any-session.ts'
import { WORKSPACE } from '../../api/operations.ts'
import { paths } from '../../api/paths.ts'
import dashboard from '../../functions/dashboard.tsx'
import portal from '../../functions/portal.tsx'
import { newId } from '../../lib/db/ids.ts'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'
import {
  cookieOf,
  fromSomewhere,
  mailsTo,
  newestLink,
  openSession,
  press,
  somebody,
  submit,
  whoIs,
} from '../support/people.ts'

const database = useDatabase()
const url = (path: string) => `${inject('baseUrl')}${path}`

const age = (email: string, interval: string) =>
  database.query(
    `update sign_in.sessions set created_at = created_at - $1::interval
     where user_id = (select id from sign_in.users where email = $2)`,
    [interval, email],
  )

/** A merchant whose manager signed in 13 hours ago. */
const openOffice = async () => {
  const merchant = await createMerchant()
  const cookie = await merchant.manager()
  const email = `manager@${merchant.workspace.slug}.example`
  await age(email, '13 hours')
  return { merchant, cookie, email, base: `/app/${merchant.workspace.slug}` }
}

/** Bodies of requests that ask for a recent sign-in only if they change something. */
const BODIES: Record<string, object> = {
  '/payouts/run': { method: 'stripe' },
  '/programs/{id}/cut-over': {},
  '/imports/{id}/undo': {},
  '/partners/import': { programId: newId(), rows: [{ email: 'eve@evil.example' }] },
  '/customers/import': {
    rows: [{ customerExternalId: 'cus_1', partnerEmail: 'eve@evil.example' }],
  },
}

/** What a session may change by the API, with its path below a workspace. */
const CHANGES = Object.entries(paths).flatMap(([path, item]) =>
  (['post', 'put', 'patch', 'delete'] as const).flatMap((method) => {
    const security = item[method]?.security ?? []
    if (!security.some((scheme) => 'session' in scheme)) return []
    return [{ name: `${method} ${path}`, method, end: path.replace(WORKSPACE, '') }]
  }),
)

/** Forms of managers and members that a session of any age may send, each with the reason. */
const ANY_SESSION_PAGES: Record<string, string> = {
  '/app': 'A new workspace: nobody else’s changes.',
  '/app/:workspace/import/rewards': 'Shows what was pasted. Using it needs a recent sign-in.',
  '/app/:workspace/partners/bonus': 'Shows who would get it. Giving it needs a recent sign-in.',
  '/app/:workspace/partners/change': 'Asks what to change. The answer needs a recent sign-in.',
  '/app/:workspace/partners/export': 'Reads.',
  '/app/:workspace/partners/mail': 'Asks what to write. Sending needs a recent sign-in.',
  '/app/:workspace/partners/mail/preview': 'Shows what would be sent.',
  '/app/:workspace/partners/moved': 'Asks. Sending needs a recent sign-in.',
  '/app/:workspace/partners/:id/notes': 'Notes move no money.',
  '/app/:workspace/partners/:id/notes/:note/delete': 'Notes move no money.',
  '/app/:workspace/programs/:id/what-if': 'Changes nothing.',
  '/app/:workspace/groups/:id/what-if': 'Changes nothing.',
  '/app/:workspace/programs/:id/reward/edit': 'Shows the changed form. Saves nothing.',
  '/app/:workspace/groups/:id/reward/edit': 'Shows the changed form. Saves nothing.',
  '/app/:workspace/groups/:id/lead-reward/edit': 'Shows the changed form. Saves nothing.',
  '/app/:workspace/partners/:id/reward/edit': 'Shows the changed form. Saves nothing.',
  '/app/:workspace/programs/:id/tiers/edit': 'Shows the changed form. Saves nothing.',
  '/app/:workspace/programs/:id/bonuses/edit': 'Shows the changed form. Saves nothing.',
  '/app/:workspace/programs/:id/reward/what-if': 'Changes nothing.',
  '/app/:workspace/groups/:id/reward/what-if': 'Changes nothing.',
  '/app/:workspace/groups/:id/lead-reward/what-if': 'Changes nothing.',
  '/app/:workspace/partners/:id/reward/what-if': 'Changes nothing.',
  '/app/:workspace/programs/:id/shadow': 'Compares what was uploaded, and pays nobody.',
  '/app/:workspace/commissions/:id/hold': 'Keeps money back. Releasing it needs a recent sign-in.',
  '/app/:workspace/mails/:id/retry': 'Sends the same mail to the same address again.',
  '/app/:workspace/mails/preview/:kind/test': 'Mails the manager alone.',
  '/app/:workspace/webhooks/:id/test': 'Sends no data of the workspace.',
  '/app/:workspace/webhooks/:id/resend': 'The endpoint was added with a recent sign-in.',
  '/app/:workspace/webhooks/deliveries/:id/resend': 'The endpoint was added with a recent sign-in.',
  '/app/:workspace/deletion/cancel': 'Keeps a workspace.',
  '/app/:workspace/address/confirm': 'Takes the links that were mailed to both addresses.',
  '/app/:workspace/address/cancel': 'Keeps an address.',
  '/confirm-address/:token': 'Takes the link that was mailed to the address, and no session.',
}

/** The same of partners. */
const ANY_SESSION_PORTAL: Record<string, string> = {
  '/portal/links': 'A link of the partner’s own.',
  '/portal/terms': 'Agreeing to terms moves no money.',
  '/portal/documents/details': 'What stands on documents. It does not say where money goes.',
  '/portal/payment/cancel': 'Keeps the present payment details.',
  '/portal/connect/confirm': 'Takes the link that was mailed to the partner.',
  '/portal/address/revert': 'Takes the link that was mailed to the old address.',
  '/join/:program/apply': 'An application, which a manager decides.',
  '/unsubscribe/:token': 'Ends mails.',
  '/unsubscribe/:token/undo': 'Resumes mails.',
}

const formsOf = (app: typeof dashboard | typeof portal) => [
  ...new Set(
    app.routes
      .filter(({ method }) => method === 'POST')
      .map(({ path }) => path.replace('{[0-9a-f-]{36}}', '')),
  ),
]

const secrets = { secret: 'whsec_typed', key: 'rk_live_typed' }

/** Sends every form of an app as a session, and returns those that did not ask to confirm. */
const formsWithoutQuestion = async (paths: string[], slug: string, cookie: string) => {
  const passed: string[] = []
  for (const path of paths) {
    const target = path.replace(':workspace', slug).replaceAll(/:\w+/g, newId())
    const answer = await submit(url(target), secrets, { Cookie: cookie })
    const page = await answer.text()
    expect(page).not.toMatch(/whsec_typed|rk_live_typed/)
    if (answer.status !== 403 || !page.includes('Confirm it’s you')) passed.push(path)
  }
  return passed.toSorted()
}

describe('with a session of 13 hours ago', () => {
  test('every call that changes something is refused, but those that move no money, and reads are not', async () => {
    const { merchant, cookie } = await openOffice()
    const caller = merchant.as(cookie)
    const passed: string[] = []
    for (const { name, method, end } of CHANGES) {
      if (end.startsWith('/api/')) continue
      const path = end.replaceAll(/\{\w+\}/g, newId())
      const answer = await caller[method](path, BODIES[end])
      if (answer.status === 403) expect(answer.body).toEqual(errorShape('fresh_sign_in_required'))
      else passed.push(name)
    }
    const allowed = Object.keys(ANY_SESSION).filter((name) => name.includes(WORKSPACE))
    expect(passed.toSorted()).toEqual(allowed.toSorted())

    expect((await caller.post('/payouts/run', { dryRun: true })).status).toBe(200)
    expect((await caller.get('/payouts')).status).toBe(200)
    expect((await caller.get('/api-keys')).status).toBe(200)
    expect(await database.audit(merchant)).toEqual([])
  })

  test('every form that changes something asks to confirm, and shows no secret again', async () => {
    const { merchant, cookie, email } = await openOffice()
    const passed = await formsWithoutQuestion(formsOf(dashboard), merchant.workspace.slug, cookie)
    expect(passed).toEqual(Object.keys(ANY_SESSION_PAGES).toSorted())
    // However many forms are tried, the mailbox has five links at most.
    expect(await mailsTo(email)).toHaveLength(5)
    expect(await database.audit(merchant)).toEqual([])
  })

  test('every form of the portal by which money could go elsewhere asks to confirm', async () => {
    const email = somebody('maya')
    const cookie = await openSession(email)
    await age(email, '13 hours')
    const passed = await formsWithoutQuestion(formsOf(portal), '', cookie)
    expect(passed).toEqual(Object.keys(ANY_SESSION_PORTAL).toSorted())
    // Stripe's pages, where the bank account is changed.
    for (const path of ['/portal/connect/dashboard', '/portal/connect/refresh']) {
      const answer = await fetch(url(`${path}?workspace=x`), { headers: { Cookie: cookie } })
      const page = await answer.text()
      expect({ path, status: answer.status }).toEqual({ path, status: 403 })
      expect(page).toContain(`<form method="get" action="${path}?workspace=x">`)
      expect(page).toContain('name="workspace" value="x"')
    }
  })

  test('opening the link in the same browser goes on with what was typed', async () => {
    const { cookie, email, base, merchant } = await openOffice()
    const form = url(`${base}/api-keys`)
    const typed = { name: 'My "shop" <key>', track: 'on' }
    const asked = await submit(form, typed, { Cookie: cookie, Referer: form })
    const page = await asked.text()
    expect(page).toContain(`action="${base}/api-keys"`)
    expect(page).toContain('name="name" value="My &quot;shop&quot; &lt;key&gt;"')

    const confirmed = await press(await newestLink(email), { ...fromSomewhere(), Cookie: cookie })
    expect(confirmed.headers.get('Location')).toBe(`${base}/api-keys`)
    expect(await whoIs(cookie)).toBeNull()
    const again = await submit(form, typed, { Cookie: cookieOf(confirmed) })
    expect(again.status).toBe(200)
    const [key] = await database.query<{ name: string }>(
      'select name from api_keys where workspace_id = $1 order by id desc',
      [merchant.workspace.id],
    )
    expect(key?.name).toBe('My "shop" <key>')
  })

  test('somebody who is no manager gets no mail by it', async () => {
    const merchant = await createMerchant()
    const cookie = await merchant.member()
    const email = `member@${merchant.workspace.slug}.example`
    await age(email, '13 hours')
    const answer = await submit(
      url(`/app/${merchant.workspace.slug}/api-keys`),
      { name: 'x' },
      { Cookie: cookie },
    )
    expect(answer.status).toBe(403)
    expect(await mailsTo(email)).toEqual([])
  })
})

test('a session ends after 90 days, however often it is used', async () => {
  const merchant = await createMerchant()
  const cookie = await merchant.manager()
  const email = `manager@${merchant.workspace.slug}.example`
  await age(email, '89 days')
  expect(await whoIs(cookie)).toBe(email)
  await age(email, '1 day')
  expect(await whoIs(cookie)).toBeNull()
  expect((await merchant.as(cookie).get('/payouts')).status).toBe(401)
})
