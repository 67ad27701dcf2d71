/** Helpers of the shop's handlers: forms, files, the signed-in customer. */
import { readFile } from 'node:fs/promises'
import type { Context } from 'hono'
import type { SecureHeadersVariables } from 'hono/secure-headers'
import { findPlan } from './plans.ts'
import type { Fields } from './sign-up.ts'
import type { Customer } from './store.ts'

/** The visitor: a signed-in customer, or undefined. */
export type Visit = { Variables: SecureHeadersVariables & { customer: Customer | undefined } }

/** The text fields of a submitted form. The shop has no file uploads. */
export const readFields = async (c: Context): Promise<Fields> => {
  const form = await c.req.parseBody()
  const fields: Fields = {}
  for (const [name, value] of Object.entries(form))
    if (typeof value === 'string') fields[name] = value
  return fields
}

/** Serves a file of this folder. */
export const file = (name: string, type: string) => async (c: Context) =>
  c.body(await readFile(new URL(name, import.meta.url), 'utf8'), 200, { 'Content-Type': type })

/**
 * A handler for signed-in customers. Others are redirected to sign up, and keep their chosen plan.
 */
export const forCustomer = (
  handle: (c: Context<Visit>, customer: Customer) => Response | Promise<Response>,
) =>
  async function forCustomer(c: Context<Visit>): Promise<Response> {
    const { customer } = c.var
    if (customer) return handle(c, customer)
    const plan = findPlan(c.req.query('plan'))
    return c.redirect(plan ? `/sign-up?plan=${plan.id}` : '/sign-up', 303)
  }
