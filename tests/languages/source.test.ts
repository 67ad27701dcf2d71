/** No text of pages stands outside the catalogs: every string of their code is looked at. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { expect, test } from 'vitest'
import { ROOT } from '../../dev/root.ts'
import { sayIn } from '../../lib/languages/api-sentences.ts'

/**
 * The code of the pages of partners, in all languages, and of managers, in English, with their
 * scripts.
 */
const PAGES = [
  'functions/portal.tsx',
  'functions/portal/**/*.{ts,tsx}',
  'functions/auth.tsx',
  'functions/auth/*.{ts,tsx}',
  'lib/sign-in/{pages,sessions-page,code-pages,replies}.tsx',
  'functions/dashboard.tsx',
  'functions/dashboard/**/*.{ts,tsx}',
  'lib/pages/**/*.{ts,tsx}',
  'lib/sign-in/fresh-*.tsx',
  'lib/portal/partner-steps.ts',
  'lib/tracking/checks/mismatches.ts',
  'lib/mail/texts/{*-texts,compose,templates}.{ts,tsx}',
  'islands/{app,import,rewards,shadow,text}.ts',
  'islands/{app,import,shadow}/**/*.ts',
]

/** Headers of other platforms' files, and these platforms' names. */
const NOT_PAGES = [
  'islands/import/rules/reading/presets.ts',
  'islands/import/rules/reading/fields.ts',
]

const pages = (): string[] => globSync(PAGES, { cwd: ROOT, exclude: NOT_PAGES }).sort()

/** Other rooms, all of whose sentences partners may read. */
const SAYING = [
  'lib/payouts/accounts/accounts.schemas.ts',
  'lib/payouts/details/payment-details.schemas.ts',
  'lib/payouts/details/payment-details.service.ts',
  'lib/payouts/accounts/onboarding.service.ts',
]

/** The same in all languages. */
const NAMES = ['Tributary', 'UTC', 'Wise', 'Dub', 'Rewardful']

/** Of the API of the auth Worker, of markup, of a picture, of a header, and of a field's name. */
const NO_TEXTS = [
  'No mail can be sent, so nobody can sign in: the mailer has no transport.',
  'email: x',
  'x data-label="x"',
  'Mx x.5hx',
  'noreferrer nofollow ugc',
  'img-src x',
  'links x x',
]

/** Words, or a word as it begins a label. No code, class, path or header. */
const LOOKS_LIKE_TEXT = /\p{L}[,:]? \p{L}|^\p{Lu}\p{Ll}+[.…!?]?$/u

/**
 * Calls whose strings nobody reads on a page: headers, selectors, internal errors, and the
 * descriptions of the API's fields.
 */
const TECHNICAL_CALLS =
  /(^|\.)(header|headers\.get|html|matches|setCookie|Error|email|found|notFound|readById|changeById|limitRate|isWithinLimit|limitFailures)$/

/** Attributes that hold several names: classes, and the policy of a viewport. */
const TECHNICAL_ATTRIBUTES = ['class', 'content', 'preserveAspectRatio', 'viewBox', 'd']

type Found = { text: string; at: number }
type Range = { start: number; end: number }

/**
 * Every text of a file that a reader could see: between tags, in strings and in templates, whose
 * values are "x".
 */
const textsIn = (source: string, file = 'page.tsx'): string[] => {
  const { program, errors } = parseSync(file, source)
  expect(errors).toEqual([])
  const found: Found[] = []
  const skipped: Range[] = []
  const skip = ({ start, end }: Range) => skipped.push({ start, end })
  new Visitor({
    ImportDeclaration: skip,
    ExportAllDeclaration: skip,
    TSLiteralType: skip,
    JSXAttribute: (node) => {
      if (node.name.type === 'JSXIdentifier' && TECHNICAL_ATTRIBUTES.includes(node.name.name))
        skip(node)
    },
    CallExpression: ({ callee, arguments: values }) => {
      if (TECHNICAL_CALLS.test(source.slice(callee.start, callee.end))) values.forEach(skip)
    },
    NewExpression: ({ callee, arguments: values }) => {
      if (TECHNICAL_CALLS.test(source.slice(callee.start, callee.end))) values.forEach(skip)
    },
    JSXText: ({ value, start }) => {
      if (/\p{L}/u.test(value)) found.push({ text: value.trim(), at: start })
    },
    Literal: ({ value, start }) => {
      if (typeof value === 'string' && LOOKS_LIKE_TEXT.test(value))
        found.push({ text: value, at: start })
    },
    TemplateLiteral: ({ quasis, start }) => {
      const parts = quasis.map(({ value }) => value.cooked ?? '')
      const text = parts.join('x')
      if (/\p{L}/u.test(parts.join('')) && LOOKS_LIKE_TEXT.test(text))
        found.push({ text, at: start })
    },
  }).visit(program)
  return found
    .filter(({ at }) => !skipped.some(({ start, end }) => start <= at && at < end))
    .map(({ text }) => text)
}

const isInCatalog = (text: string): boolean =>
  [...NAMES, ...NO_TEXTS].includes(text) || sayIn('de', text) !== text

const outside = (files: string[]): string[] =>
  files.flatMap((file) =>
    textsIn(readFileSync(join(ROOT, file), 'utf8'), file).flatMap((text) =>
      isInCatalog(text) ? [] : `${file}: ${text}`,
    ),
  )

test('pages have no text of their own', () => {
  expect(pages().length).toBeGreaterThan(40)
  expect(pages()).toContain('islands/import/check.ts')
  expect(outside(pages())).toEqual([])
})

test('pages count nothing but in messages, which have the plural', () => {
  expect(
    pages().filter((file) => /\bcounted\(/.test(readFileSync(join(ROOT, file), 'utf8'))),
  ).toEqual([])
})

/**
 * The messages between tags that are in no call, such as `{m.save}`: a page shows nothing in their
 * place.
 */
const messagesBetweenTags = (source: string): string[] => {
  const { program, errors } = parseSync('page.tsx', source)
  expect(errors).toEqual([])
  const messages: Range[] = []
  const shown: Range[] = []
  const others: Range[] = []
  const children = (nodes: { type: string; start: number; end: number }[]) =>
    shown.push(...nodes.filter(({ type }) => type === 'JSXExpressionContainer'))
  new Visitor({
    JSXElement: (node) => void children(node.children),
    JSXFragment: (node) => void children(node.children),
    JSXAttribute: (node) => void others.push(node),
    // What `map` returns is shown.
    CallExpression: ({ callee, arguments: values }) => {
      if (!/\.(map|flatMap)$/.test(source.slice(callee.start, callee.end))) others.push(...values)
    },
    MemberExpression: (node) => {
      if (node.object.type === 'Identifier' && node.object.name === 'm') messages.push(node)
    },
  }).visit(program)
  const size = ({ start, end }: Range) => end - start
  return messages.flatMap((message) => {
    const around = ({ start, end }: Range) => start <= message.start && message.end <= end
    const [closest] = [...shown, ...others].filter(around).sort((a, b) => size(a) - size(b))
    return closest && shown.includes(closest) ? source.slice(message.start, message.end) : []
  })
}

test('no message stands between tags without `t`', () => {
  const components = pages().filter((file) => file.endsWith('.tsx'))
  expect(components.length).toBeGreaterThan(40)
  expect(
    components.flatMap((file) =>
      messagesBetweenTags(readFileSync(join(ROOT, file), 'utf8')).map(
        (message) => `${file}: ${message}`,
      ),
    ),
  ).toEqual([])
})

test.each([
  'const Page = () => <p>{m.save}</p>',
  'const Page = () => <>{isOpen && m.save}</>',
  'const Page = () => <p>{isOpen ? m.open : t(m.closed)}</p>',
  'const Page = () => <ul>{names.map(() => m.save)}</ul>',
  'const Page = () => <p>{show(<b>{m.save}</b>)}</p>',
  'const Page = () => <Field label={<b>{m.save}</b>} />',
])('%s lacks a `t`', (code) => {
  expect(messagesBetweenTags(code)).toHaveLength(1)
})

test.each([
  'const Page = () => <p>{t(m.save)}</p>',
  'const Page = () => <p>{t(isOpen ? m.open : m.closed)}</p>',
  'const Page = () => <p><Field label={m.save} /></p>',
  'const Page = () => <ul>{names.map((name) => t(m.save, { name }))}</ul>',
])('%s has its `t`', (code) => {
  expect(messagesBetweenTags(code)).toEqual([])
})

test('what forms and refusals say to partners is in the catalogs', () => {
  expect(
    SAYING.flatMap((file) => textsIn(readFileSync(join(ROOT, file), 'utf8'), file)).length,
  ).toBeGreaterThan(15)
  expect(outside(SAYING)).toEqual([])
})

test.each([
  { where: 'between tags', code: 'const Page = () => <p>Hello</p>' },
  { where: 'in an expression', code: 'const Page = () => <p>{isOpen ? "Open now" : null}</p>' },
  { where: 'in an attribute', code: 'const Page = () => <Field label="Name" />' },
  { where: 'in a template', code: `const Page = () => <Field hint={\`Of \${host} only\`} />` },
  { where: 'in a table', code: 'const LABELS = { name: "Your name" }' },
  { where: 'in a handler', code: "renderPortal(c, { title: 'Documents' })" },
  { where: 'in a script', code: "showStep('Upload', h('p', {}, said))" },
  { where: 'with its count', code: `announce(\`\${rows.length} rows loaded.\`)` },
])('a text $where is found', ({ code }) => {
  expect(textsIn(code)).toHaveLength(1)
})

test.each([
  "c.header('Referrer-Policy', 'same-origin')",
  `const Page = () => <section class="filters inline" aria-labelledby={\`program-\${id}\`} />`,
  `const path = \`/portal/payment?workspace=\${id}\``,
  "throw new Error('No page is rendered.')",
])('%s has no text', (code) => {
  expect(textsIn(code)).toEqual([])
})
