/** The base of the tracking Workers: one route each, database functions without a query builder. */
import { Hono } from 'hono/tiny'
import { type Client, openClient } from '../db/neon.ts'
import { type BaseEnv, createBase } from './base-app.ts'

export type TrackingEnv = BaseEnv & { Variables: { db: Client } }

/**
 * @param logs which requests are logged
 * @typeParam Bindings what it needs beyond the database and the rate limit
 */
export const createTrackingApp = <Bindings extends object = object>(
  logs: { onlyFailures?: boolean } = {},
) => createBase<Bindings, Client>(new Hono(), openClient, logs)
