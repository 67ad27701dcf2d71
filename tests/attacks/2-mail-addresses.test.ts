/** Attacks on mailboxes and their owners, by who may only ask for sign-in links. */
import { describe, expect, inject, test } from 'vitest'
import { send } from '../support/merchant.ts'
import {
  askForLink,
  cookieOf,
  fromSomewhere,
  mailsTo,
  press,
  somebody,
  submit,
  whoIs,
} from '../support/people.ts'

const url = (path: string) => `${inject('baseUrl')}${path}`

/** Asks for a link to each address, at the same moment and from a different place each. */
const askForAll = (addresses: string[]) =>
  Promise.all(addresses.map((email) => submit(url('/sign-in'), { email })))

const mailCount = async (addresses: string[]): Promise<number> =>
  (await Promise.all([...new Set(addresses)].map((email) => mailsTo(email)))).flat().length

describe('flooding one mailbox', () => {
  const name = () => crypto.randomUUID().replaceAll('-', '')
  const eight = (spell: (n: number) => string) => Array.from({ length: 8 }, (_, n) => spell(n))

  test.each([
    {
      by: 'tags after a plus sign',
      spell: (local: string) => eight((n) => `${local}+${n}@example.com`),
    },
    {
      by: 'dots at Gmail',
      spell: (local: string) =>
        eight((n) => `${local.slice(0, n + 1)}.${local.slice(n + 1)}@gmail.com`),
    },
    {
      by: 'two names of one provider',
      spell: (local: string) => eight((n) => `${local}@${n % 2 ? 'gmail' : 'googlemail'}.com`),
    },
    {
      by: 'two spellings of one domain',
      spell: (local: string) =>
        eight((n) => `${local}@${n % 2 ? 'münchen' : 'xn--mnchen-3ya'}.example`),
    },
    {
      by: 'characters that mail providers ignore',
      spell: (local: string) =>
        ['\u034f', '\ufe00', '\ufe0f', '\u200b', '\u{e0100}', '\u200d', '\u00ad', '\ufeff'].map(
          (ignored) =>
            `${local}@exam${ignored}ple.com`.replace(
              local,
              `${local.slice(0, 5)}${ignored}${local.slice(5)}`,
            ),
        ),
      reached: (local: string) => [`${local}@example.com`],
    },
  ])('by $by sends five links at most', async ({ spell, reached = spell }) => {
    const local = name()
    await askForAll(spell(local))
    expect(await mailCount(reached(local))).toBe(5)
  })
})

describe('mailing text of one’s choice', () => {
  const LURE = '/app?message=Your-account-is-locked,-call-+1-555-0100'

  test('by the page to open after signing in fails: the mail has the token only', async () => {
    const email = somebody()
    const link = await askForLink(email, { next: LURE })
    expect([...link.searchParams.keys()]).toEqual(['token'])
    const [mail] = await mailsTo(email)
    expect(JSON.stringify(mail)).not.toContain('locked')
    // Whoever asked still gets there.
    expect((await press(link)).headers.get('Location')).toBe(LURE)
  })

  test('by changing the link leads nowhere else', async () => {
    const link = await askForLink(somebody())
    link.searchParams.set('next', '/app?message=locked')
    expect(await (await fetch(link)).text()).not.toContain('locked')
    expect((await press(link)).headers.get('Location')).toBe('/app')
  })
})

describe('locking an owner out', () => {
  test('by asking for the owner’s links fails: the owner sees that they were sent, and each works', async () => {
    const email = somebody('owner')
    const strangers = await askForAll(Array<string>(12).fill(email))
    expect(strangers.map(({ status }) => status)).toEqual(Array(12).fill(200))

    const owner = await submit(url('/sign-in'), { email })
    expect(owner.status).toBe(200)
    expect(await owner.text()).toContain(`Several sign-in links were sent to ${email}`)
    const json = await send(url('/api/auth/sign-in/magic-link'), {
      body: { email },
      headers: fromSomewhere(),
    })
    expect({ status: json.status, code: json.body.error?.code }).toEqual({
      status: 429,
      code: 'rate_limited',
    })
    expect(json.body.error?.message).toContain('each of them works')

    const links = (await mailsTo(email)).map(
      ({ text }) => new URL(text.match(/https?:\S+token=\S+/)?.[0] ?? ''),
    )
    expect(links).toHaveLength(5)
    for (const link of links) expect(await whoIs(cookieOf(await press(link)))).toBe(email)
  })
})
