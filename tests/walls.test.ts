import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { deploymentOrder } from '../cli/deployments.ts'
import { ZONES } from '../cli/roles.ts'
import { ROOT } from '../dev/root.ts'
import { cronWorkers, readWorkerConfigs } from '../dev/runtime/wrangler-config.ts'
import { HOLD_REASONS, HOLD_RESOLUTIONS } from '../lib/rules/steps/holds.ts'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const files = (...patterns: string[]) => globSync(patterns, { cwd: ROOT }).sort()

/** The rooms that every other room uses: they wrap I/O, so they hold no rules. */
const SHARED_ROOMS = /^lib\/(db|http|auth|sign-in|pages)\//
/** Files whose suffix says that they do more than compute. */
const SUFFIXED = /\.(queries|schemas|responses|service|rpc)\.ts$/
/** Web Crypto, which computes but is not synchronous. */
const CRYPTO = [
  'lib/platform/secrets.ts',
  'lib/platform/sha256.ts',
  'lib/mail/mailings/unsubscribe.ts',
]
/** Libraries that only compute. */
const PURE_LIBRARIES = /^(date-fns\/\w+|@date-fns\/utc|ibantools|icu-minify\/format)$/

const isRuleFile = (file: string) =>
  (/^lib\/.*\.ts$/.test(file) || file.startsWith('islands/import/rules/')) &&
  !SHARED_ROOMS.test(file) &&
  !SUFFIXED.test(file) &&
  !CRYPTO.includes(file)

/**
 * The modules that a file imports values from: what it imports as types alone is not there at run
 * time.
 */
const valueImports = (file: string): string[] =>
  [...read(file).matchAll(/^(?:import|export)( type)? ([^'";]*?)from '([^']+)'/gm)]
    .filter(
      ([, type, names = '']) => !type && !/^\{(\s*type \w+( as \w+)?,?)+\s*\}\s*$/.test(names),
    )
    .map(([, , , path = '']) =>
      path.startsWith('.') ? normalize(join(dirname(file), path)) : path,
    )

describe('a rule file', () => {
  const rules = files('lib/**/*.ts', 'islands/import/rules/*.ts').filter(isRuleFile)

  test('exists in each room that has rules', () => {
    expect(rules.length).toBeGreaterThan(40)
  })

  test.each(rules)(
    '%s imports only rule files, and takes the time and ids as arguments',
    (file) => {
      expect(
        valueImports(file).filter((path) => !isRuleFile(path) && !PURE_LIBRARIES.test(path)),
      ).toEqual([])
      expect(read(file)).not.toMatch(
        /\bDate\.now\b|new Date\(\)|Math\.random|\bcrypto\b|\bfetch\(|\bprocess\b/,
      )
    },
  )
})

test('only lib/purchases/stripe and the list of processors name Stripe in the rules and the code of purchases, tracking and customers', () => {
  const named = /^lib\/(purchases\/stripe|rules\/purchases\/(processors|stripe-ids)\.ts)/
  const neutral = files('lib/{rules,purchases,tracking,customers}/**/*.ts').filter(
    (file) => !named.test(file),
  )
  const code = (file: string) => read(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  expect(neutral.filter((file) => /stripe/i.test(code(file)))).toEqual([])
  expect(neutral.length).toBeGreaterThan(25)
})

test('SQL stands only in *.queries.ts', () => {
  const SQL = /\bsql[`<]|\.(selectFrom|insertInto|updateTable|deleteFrom)\(/
  const sources = files('lib/**/*.{ts,tsx}', 'functions/**/*.{ts,tsx}', 'islands/**/*.ts')
  expect(sources.filter((file) => !file.endsWith('.queries.ts') && SQL.test(read(file)))).toEqual(
    [],
  )
  expect(sources.filter((file) => SQL.test(read(file))).length).toBeGreaterThan(20)
})

test('every commit waits for the disk, and is seen by others only then: nothing sets synchronous_commit', () => {
  const sources = files('*.sql', '{schema,migrations}/*.sql', '{lib,functions,cli}/**/*.{ts,tsx}')
  expect(sources).toContain('schema.sql')
  expect(sources.filter((file) => /synchronous_commit/i.test(read(file)))).toEqual([])
})

describe('the files of schema.sql', () => {
  const included = [...read('schema.sql').matchAll(/^\\ir (.+)$/gm)].map(([, file = '']) => file)
  /** Statements without comments and texts. */
  const code = (file: string) =>
    read(file)
      .replace(/--.*$/gm, '')
      .replace(/'(?:[^']|'')*'/g, "''")
  const CREATED = /^create (?:or replace )?(?:unlogged )?(table|view|function|procedure) ([\w.]+)/gm
  const created = included.map((file) => [...code(file).matchAll(CREATED)])

  test('are all that there are', () => {
    expect(included.toSorted()).toEqual(files('schema/*.sql'))
  })

  test.each(included)('%s refers to nothing of a later one', (file) => {
    const later = created.slice(included.indexOf(file) + 1).flat()
    const text = code(file)
    const isUsed = (kind: string, name: string) =>
      new RegExp(
        kind === 'function' || kind === 'procedure'
          ? `\\b${name}\\(`
          : `\\b(?:from|join|into|update|only|references|on|exists) ${name}\\b(?!\\.)`,
      ).test(text)
    expect(later.flatMap(([, kind = '', name = '']) => (isUsed(kind, name) ? [name] : []))).toEqual(
      [],
    )
  })

  test('raise each of their own error codes for one reason', () => {
    const raised = included.flatMap((file) => read(file).match(/errcode = 'TR\d+'/g) ?? [])
    expect(raised.length).toBeGreaterThan(2)
    expect([...new Set(raised)]).toEqual(raised)
  })

  test('have no trigger before updates of tables whose former terms are kept', () => {
    const BEFORE =
      /^create or replace trigger \w+\s+before [^;]*?\bupdate\b[^;]*? on (programs|groups|partners)\b/gm
    expect(included.flatMap((file) => read(file).match(BEFORE) ?? [])).toEqual([])
  })

  test('create what `db:apply` replaces with `or replace`', () => {
    const REPLACED = /^create (?:constraint )?(?:function|procedure|trigger|view) .*/gm
    expect(included.flatMap((file) => read(file).match(REPLACED) ?? [])).toEqual([])
    expect(created.flat().length).toBeGreaterThan(200)
  })
})

/**
 * Functions of the database that decide something of the product. All others lock, read, write, and
 * refuse what has changed since it was read. The list only shrinks: what a function has to know
 * under a lock, it returns, and lib/rules decides.
 */
const DECIDING: Record<string, string> = {
  present_owner:
    'All referrals are known under the lock of the customer alone, and six writers need it. tests/customers/present-owner.test.ts compares it with ownerAt.',
  addresses_alike:
    'Says too often which sales to compare by lib/values/mailboxes.ts, and never too rarely: tests/attacks/13-self-referrals.test.ts.',
  mark_late:
    'Moves the cursors of what is planned again; the plan decides about each sale. Which sales nobody had referred is known only once the report is saved.',
  note_own_address: 'A trigger: marks sales to be planned again, unless they are held already.',
  note_verified_address: 'A trigger: marks sales to be planned again that are in doubt.',
  is_counted: 'The predicate of totals, which triggers keep.',
  adopt_transfers: 'Says in two adjustments which transfer has paid a partner already.',
}

describe('the functions of the database decide nothing', () => {
  type Defined = { name: string; body: string }
  const FUNCTION = /^create or replace (?:function|procedure) (\w+)[^$]*\$\$([\s\S]*?)\$\$;/gm
  // What checks the ledger reads all of it.
  const defined: Defined[] = files('schema/*.sql')
    .filter((file) => file !== 'schema/verify.sql')
    .flatMap((file) => [...read(file).replace(/--.*$/gm, '').matchAll(FUNCTION)])
    .map(([, name = '', body = '']) => ({ name, body }))

  const quoted = (words: readonly string[]) => `'(?:${words.join('|')})'`
  const codes = [
    ...new Set(
      [...read('lib/rules/steps/steps.ts').matchAll(/\bcode: '(\w+)'/g)].map(([, c]) => c),
    ),
  ]
  const HOLDS = new RegExp(quoted([...HOLD_REASONS, ...HOLD_RESOLUTIONS]))
  const STEPS = new RegExp(
    `\\bcode'?"?[^\\w;]*(?:(?:not )?in )?[^\\w;]*\\b(?:${codes.join('|')})\\b`,
  )
  const decides = ({ name, body }: Defined): boolean =>
    (/\bcommission_holds\b/.test(body) && HOLDS.test(body)) ||
    STEPS.test(body) ||
    // A partner, of several.
    /\bselect (?:\w+\.)?partner_id\s+(?:into|from)\b[^;]*\border by\b[^;]*\blimit 1\b/.test(body) ||
    // A share of an amount, and what says why there is one.
    /\bdiv\(|\bcents\W{1,3}\/|\/ ?\w*cents\b|\binsert into adjustments\b/.test(body) ||
    name in DECIDING

  test('but those of the list, which has no others', () => {
    expect(defined.length).toBeGreaterThan(120)
    const deciding = defined.filter(decides).map(({ name }) => name)
    expect(deciding.toSorted()).toEqual(Object.keys(DECIDING).toSorted())
    expect(deciding.length).toBeLessThanOrEqual(7)
  })

  test.each([
    `update commission_holds set resolution = 'released' where id = of_hold;`,
    `insert into commission_holds (reason) values ('self_referral');`,
    `steps := steps || jsonb_build_array(jsonb_build_object('code', 'reward_capped'));`,
    `select from events e where e.steps @> '[{"code": "late_lead"}]';`,
    `delete from steps where step ->> 'code' not in ('commission_created', 'no_reward');`,
    `select r.partner_id into owner from referrals r\n order by r.referred_at desc limit 1;`,
    `earned := div(amount_cents * basis_points, 10000);`,
  ])('as one with this would: %s', (body) => {
    expect(decides({ name: 'new_function', body })).toBe(true)
  })
})

test('*.responses.ts are imported as types only, so that no Worker bundles them', () => {
  const sources = files('lib/**/*.{ts,tsx}', 'functions/**/*.{ts,tsx}', 'islands/**/*.ts')
  const isResponses = (file: string) => file.endsWith('.responses.ts')
  expect(sources.filter(isResponses).length).toBeGreaterThan(10)
  expect(
    sources.filter((file) => !isResponses(file) && valueImports(file).some(isResponses)),
  ).toEqual([])
})

test('the tracking Workers bundle no query builder, and zod/mini instead of zod', () => {
  const bundled = new Set(files('functions/track/*.ts'))
  expect(bundled.size).toBe(5)
  for (const file of bundled) {
    if (file.startsWith('lib/') || file.startsWith('functions/')) {
      for (const path of valueImports(file)) bundled.add(path)
    }
  }
  expect(bundled).toContain('lib/db/neon.ts')
  expect(bundled).toContain('zod/mini')
  const tooLarge = /^kysely|^lib\/db\/connection\.ts$|^zod$/
  expect([...bundled].filter((path) => tooLarge.test(path))).toEqual([])
})

test('no random test draws an option that is always null, as one of fast-check is with a frequency of 1', () => {
  expect(files('tests/**/*.ts').filter((file) => /\bfreq: ?1[ ,}]/.test(read(file)))).toEqual([])
})

test('all versions are pinned exactly, and miniflare to the one of wrangler', () => {
  const { dependencies, devDependencies, overrides } = JSON.parse(read('package.json'))
  for (const version of Object.values({ ...dependencies, ...devDependencies, ...overrides }))
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
  expect(overrides['@better-auth/core']).toBe(dependencies['better-auth'])
  const wrangler = JSON.parse(read('node_modules/wrangler/package.json'))
  expect(devDependencies.miniflare).toBe(wrangler.dependencies.miniflare)
})

test('the workflow runs what there is', () => {
  const commands = [...read('.github/workflows/ci.yml').matchAll(/run: (.+)/g)].map(
    ([, command]) => command,
  )
  expect(commands).toEqual(['.ci/run', expect.stringMatching(/> \.prod\.vars$/), 'npm run deploy'])
  for (const tier of ['npm test', 'npm run test:thorough']) expect(read('.ci/run')).toContain(tier)
  expect(JSON.parse(read('package.json')).scripts).toHaveProperty('deploy')
})

test('the client stands alone: it imports only its own files and openapi-fetch, which its package.json pins as ours does', () => {
  const sources = files('clients/node/src/*.ts')
  const outside = sources.flatMap((file) =>
    [...read(file).matchAll(/from '([^']+)'/g)].flatMap(([, path = '']) =>
      /^\.\/[\w-]+\.ts$/.test(path) ? [] : [path],
    ),
  )
  const { dependencies } = JSON.parse(read('clients/node/package.json'))
  const ours = JSON.parse(read('package.json')).devDependencies
  expect([...new Set(outside)]).toEqual(Object.keys(dependencies))
  for (const [name, version] of Object.entries(dependencies)) expect(ours[name]).toBe(version)
  expect(sources.length).toBeGreaterThan(4)
})

/** All modules of ours that a file imports, types included. */
const imports = (file: string): string[] =>
  [...read(file).matchAll(/^(?:import|export) (?:[^'";]*?from )?'(\.[^']+)'/gm)].map(
    ([, path = '']) => normalize(join(dirname(file), path)),
  )

/** @returns each import cycle as a list of files, found by depth-first search */
const findCycles = (sources: string[]): string[][] => {
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): string[][] => {
    const start = path.indexOf(file)
    if (start >= 0) return [path.slice(start)]
    if (done.has(file)) return []
    done.add(file)
    path.push(file)
    const cycles = imports(file)
      .filter((imported) => sources.includes(imported))
      .flatMap(visit)
    path.pop()
    return cycles
  }
  return sources.flatMap(visit)
}

describe('the docs have all Workers', () => {
  const guide = read('docs/deploying.md')
  const workers = deploymentOrder()
  const names = (list = ''): string[] => list.match(/[\w-]+/g) ?? []

  test('who calls each, and what its secrets are', () => {
    const configs = readWorkerConfigs()
    const others = 'all others'
    const rows = new Map(
      [...guide.matchAll(/^\| (?:`([\w-]+)`|all others) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
        ([, env = others, callers, secrets = '']) => [
          env,
          {
            callers,
            secrets:
              secrets === 'none' ? [] : [...secrets.matchAll(/`(\w+)`/g)].map(([, name]) => name),
          },
        ],
      ),
    )
    for (const { env, secrets, optional } of workers) {
      const binding = [...configs].flatMap(([caller, { services }]) =>
        caller !== env && services.some(({ service }) => service === `tributary-${env}`)
          ? [caller]
          : [],
      )
      const callers = [
        env === 'router' && 'the public',
        binding.includes('router') && 'router',
        cronWorkers().includes(env) && 'cron',
        binding.some((caller) => caller !== 'router') && 'other Workers',
      ]
      expect({ env, ...(rows.get(env) ?? rows.get(others)) }).toEqual({
        env,
        callers: callers.filter(Boolean).join(', '),
        secrets: [...secrets, ...optional],
      })
    }
    expect([...rows.keys()].filter((env) => env !== others && !configs.has(env))).toEqual([])
  })

  test('what of the free plan they use', () => {
    expect(guide).toContain(`| cron triggers of an account | 5 | ${cronWorkers().length} are used`)
    expect(cronWorkers().length).toBeLessThanOrEqual(5)
    expect(guide).toContain(`| Workers of an account | 100 | ${workers.length} are used |`)
  })

  test('the commands that go back, and remove, take them in the opposite order of a deployment', () => {
    const lists = [...guide.matchAll(/for worker in ([^;]+);/g)].map(([, list]) => names(list))
    const opposite = workers.map(({ env }) => env).toReversed()
    expect(lists).toEqual([opposite, opposite])
  })

  test('the zones of the database', () => {
    const [, section = ''] = read('docs/architecture.md').split('## Database roles')
    const rows = [...section.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)]
    expect(Object.fromEntries(rows.map(([, zone, list]) => [zone, names(list)]))).toEqual(ZONES)
    for (const zone of Object.keys(ZONES)) expect(guide).toContain(`neondb_${zone}`)
  })

  test('the picture of the README', () => {
    const [, picture = ''] = read('README.md').split('## How a request travels')
    const drawn = picture.split('```')[1]?.replaceAll(' -', ' track-')
    const missing = workers.filter(({ env }) => !names(drawn).includes(env))
    expect(missing).toEqual([])
  })
})

test('no file imports itself by way of others, types included', () => {
  const sources = files(
    '{lib,functions,islands,snippet,api,cli,dev,bench}/**/*.{ts,tsx}',
    'clients/node/src/*.ts',
  )
  expect(findCycles(sources)).toEqual([])
  expect(sources.flatMap(imports).length).toBeGreaterThan(1_000)
})

/** The rooms of lib/ in their order: each imports only those before it. */
const ROOMS = `
  values platform db http
  rules/roles rules/programs rules/tiers rules/bonuses rules/rewards rules/purchases rules/steps rules/identities rules/attribution
  rules/decisions rules/refunds rules/holds rules/plans rules/what-if rules/statements
  languages audit brand totals mail tenancy auth customers ledger-check programs
  tracking imports shadow stripe payouts papers partners applications portal purchases
  webhooks people bonuses upkeep overview pages sign-in`
  .trim()
  .split(/\s+/)

describe('a room', () => {
  const sources = files('lib/**/*.{ts,tsx}')
  const roomOf = (file: string) => dirname(file).split('/').slice(0, 2).join('/')
  const roomIn = (file: string) =>
    dirname(file)
      .split('/')
      .slice(1, file.startsWith('lib/rules/') ? 3 : 2)
      .join('/')
  const crossing = (isCrossed: (from: string, to: string) => boolean, of = imports) =>
    sources.flatMap((from) =>
      of(from).flatMap((to) => (isCrossed(from, to) ? [`${from} -> ${to}`] : [])),
    )

  test('imports nothing from outside lib/', () => {
    expect(crossing((_, to) => !to.startsWith('lib/'))).toEqual([])
  })

  test('keeps its schemas to itself, but for those of lib/http and lib/rules', () => {
    expect(
      crossing(
        (from, to) =>
          to.endsWith('.schemas.ts') && roomOf(to) !== 'lib/rules' && roomOf(from) !== roomOf(to),
      ),
    ).toEqual([])
  })

  test('has its place in the order, and imports none of a later room, types included', () => {
    const later = crossing((from, to) => {
      const [own = -1, other = -1] = [from, to].map((file) => ROOMS.indexOf(roomIn(file)))
      return own < 0 || other < 0 || own < other
    })
    expect(later).toEqual([])
    expect(ROOMS.filter((room) => !sources.some((file) => roomIn(file) === room))).toEqual([])
  })

  test('has at most 15 files in a folder', () => {
    const folders = Object.groupBy(files('{lib,functions,islands}/**/*.{ts,tsx}'), (file) =>
      dirname(file),
    )
    const wide = Object.entries(folders).flatMap(([folder, { length } = []]) =>
      length > 15 ? [`${folder}: ${length}`] : [],
    )
    expect(wide).toEqual([])
  })
})
