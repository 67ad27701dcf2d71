/**
 * Test files and what they import are loaded by Node itself, which takes a third less CPU time than
 * Vite's module runner. What Node lacks is added here: JSX and the Workers' own module.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { ROOT } from '../../dev/root.ts'

const WORKERS = 'cloudflare:workers'

/** A Worker is a class that is given its bindings. */
const WORKERS_CODE = `export class WorkerEntrypoint {
  constructor(ctx, env) {
    this.ctx = ctx
    this.env = env
  }
}`

/** A test may set the clock back, which the ids of `v7()` never go: see tests/support/uuid.ts. */
const UUID = new URL('uuid.ts', import.meta.url).href
const IDS = new URL('../../lib/db/ids.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === WORKERS) return { url: WORKERS, format: 'module', shortCircuit: true }
    if (specifier === 'uuid' && context.parentURL === IDS) return next(UUID, context)
    return next(specifier, context)
  },
  load: (url, context, next) => {
    if (url === WORKERS) return { format: 'module', source: WORKERS_CODE, shortCircuit: true }
    if (!url.endsWith('.tsx')) return next(url, context)
    const path = relative(ROOT, fileURLToPath(url)).replace(/\.tsx$/, '.js')
    const source = readFileSync(join(inject('folder'), 'jsx', path), 'utf8')
    return { format: 'module', source, shortCircuit: true }
  },
})
