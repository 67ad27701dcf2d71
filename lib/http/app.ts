/** The base of Workers that query the database: request id, log, headers, errors, time. */
import { Hono } from 'hono'
import { connect, type Db } from '../db/connection.ts'
import { type BaseEnv, createBase } from './base-app.ts'

export type AppEnv = BaseEnv & { Variables: { db: Db } }

/**
 * The app of one Worker.
 *
 * @typeParam Bindings what it needs beyond the database and the rate limit
 * @example
 * ```ts
 * export default createApp().get('/api/ping', (c) => c.json({ now: c.var.now }))
 * ```
 */
export const createApp = <Bindings extends object = object>() =>
  createBase<Bindings, Db>(new Hono(), connect)

/**
 * Routes that a Worker's app mounts. The app prepares their requests and handles their errors.
 *
 * @example
 * ```ts
 * export default createApp().route('/', createRoutes().get('/api/ping', (c) => c.json({ now: c.var.now })))
 * ```
 */
export const createRoutes = <E extends AppEnv = AppEnv>() => new Hono<E>()
