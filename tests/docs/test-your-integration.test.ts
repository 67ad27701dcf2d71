/**
 * docs/guide-test-your-integration.md, carried out as it is written: every command, every answer,
 * every page.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import { SAMPLE_PROGRAM, SAMPLE_URL, SAMPLE_WORKSPACE } from '../../api/sample-values.ts'
import { ROOT } from '../../dev/root.ts'
import { readGuide, samplesOf } from '../support/guides.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { openSession } from '../support/people.ts'

const GUIDE = 'test-your-integration'
const run = promisify(execFile)
const database = useDatabase()

/** The rows of the guide's table with this head. */
const rowsOf = (head: string): string[][] => {
  const [, table = ''] = readGuide(GUIDE).split(`\n| ${head} |\n`)
  const [, ...rows] = (table.split('\n\n')[0] ?? '').trim().split('\n')
  return rows.map((row) => row.split('|').slice(1, -1))
}

/**
 * An answer as the guide prints it: what it leaves out may be anything, and so may what follows
 * "...".
 */
const expected = (value: unknown): unknown => {
  if (typeof value === 'string' && value.endsWith('...')) {
    const start = value.slice(0, -3)
    return expect.toSatisfy((text: string) => text.startsWith(start) && text.length > start.length)
  }
  if (Array.isArray(value)) return value.map(expected)
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).map(([name, field]) => [name, expected(field)])
  return expect.objectContaining(Object.fromEntries(fields))
}

/**
 * A merchant like the reader: its program pays 20%, and its partner "maya" has an address of its
 * own.
 */
const createReader = async () => {
  const merchant = await createMerchant()
  const { seed, workspace } = merchant
  const programId = await seed.addProgram(workspace.id)
  const email = `maya@${workspace.slug}.example`
  await seed.addPartner(workspace.id, programId, { slug: 'maya', email })
  return { ...merchant, programId, partner: () => openSession(email) }
}

test('each command answers what the guide says, and each page shows it', async () => {
  const reader = await createReader()
  let clickId = ''
  const fill = (code: string) =>
    code
      .replaceAll(SAMPLE_URL, inject('baseUrl'))
      .replaceAll(`/workspaces/${SAMPLE_WORKSPACE}/`, `/workspaces/${reader.workspace.slug}/`)
      .replaceAll(SAMPLE_PROGRAM, reader.programId)
      .replaceAll('trib_live_...', reader.apiKey)
      .replaceAll('clk_...', clickId)

  // Readers set variables once, and use them in the same terminal.
  let variables = 'set -eu\n'
  const samples = samplesOf(GUIDE)
  let commands = 0
  for (const [index, { language, code }] of samples.entries()) {
    if (language !== 'sh') continue
    if (code.startsWith('export ')) {
      variables += fill(code)
      continue
    }
    const { stdout } = await run('sh', ['-c', variables + fill(code)])
    const answer = samples[index + 1]
    if (answer?.language === 'json') {
      const data = JSON.parse(stdout)
      clickId = data.clickId ?? clickId
      expect(data, code).toEqual(expected(JSON.parse(answer.code)))
    } else {
      expect(answer?.language).toBe('http')
      // Over HTTP/2, names of headers are in lower case.
      expect(stdout.toLowerCase(), code).toContain(answer?.code.trim().toLowerCase())
    }
    commands += 1
  }
  expect(commands).toBeGreaterThan(9)
  expect(await database.violations(reader.workspace.id)).toEqual([])

  const pages = rowsOf('Page | Shows')
  expect(pages.length).toBeGreaterThan(3)
  for (const [path = '', shows = ''] of pages) {
    const [, page = ''] = /`(.+)`/.exec(path) ?? []
    const Cookie = await (page.startsWith('/portal') ? reader.partner() : reader.manager())
    const url = inject('baseUrl') + page.replace(SAMPLE_WORKSPACE, reader.workspace.slug)
    const html = await (await fetch(url, { headers: { Cookie } })).text()
    const text = html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')
    const words = [...shows.matchAll(/\*(.+?)\*/g)].map(([, word = '']) => word)
    expect(words.length).toBeGreaterThan(0)
    for (const word of words) expect(text, page).toContain(word)
  }
})

test('each code that the guide explains is a code of decisions, or of errors', () => {
  const codes = (file: string) =>
    new Set(
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/`([a-z_]+)`/g)].map(([, code]) => code),
    )
  const known = { steps: codes('docs/decisions.md'), errors: codes('docs/api.md') }
  const named = (head: string) =>
    rowsOf(head).flatMap(([first = '']) => [...first.matchAll(/`(\w+)`/g)].map(([, code]) => code))
  const steps = named('Code | Look at')
  const errors = named('Answer | Reason')
  expect([steps.length > 5, errors.length > 2]).toEqual([true, true])
  expect(steps.filter((code) => !known.steps.has(code))).toEqual([])
  expect(errors.filter((code) => !known.errors.has(code))).toEqual([])
})
