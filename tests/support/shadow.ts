/** Programs in shadow mode, with what is uploaded, sold and found. */
import { expect } from 'vitest'
import { createMerchant, type Merchant } from './merchant.ts'

export type Result = {
  id: string
  outcome: string
  reason: string | null
  here: { saleExternalId: string; amountCents: number | null } | null
  there: { id: string; amountCents: number | null } | null
}
export type Listed = { data: Result[]; nextCursor: string | null }

/** A commission of the other platform, as it is uploaded. */
export const row = (of: object = {}) => ({
  id: 'cm_1',
  state: 'due',
  amountCents: 980,
  currency: 'usd',
  saleAmountCents: 4_900,
  saleIds: ['inv_1'],
  customerExternalId: 'user_1',
  soldAt: new Date().toISOString(),
  ...of,
})

/** A merchant whose program is in shadow mode. */
export const createShadowed = async () => {
  const merchant = await createMerchant()
  const api = await merchant.asManager()
  expect((await api.patch(`/programs/${merchant.programId}`, { mode: 'shadow' })).status).toBe(200)
  const path = `/programs/${merchant.programId}/shadow`
  const maya = (await api.get(`/partners/${merchant.partnerId}`)).body
  return {
    ...merchant,
    api,
    path,
    maya: String(maya.email),
    upload: (rows: unknown[]) => api.post(`${path}/commissions`, { rows }),
    compare: async () => {
      for (let calls = 0; (await api.post(`${path}/compare`, {})).body.isMore; calls++)
        expect(calls).toBeLessThan(20)
    },
    results: async (query = '') =>
      (await api.get(`${path}/comparisons${query}`)).body as unknown as Listed,
  }
}

/** Sells something through maya's link. */
export const sell = async (merchant: Merchant, externalId: string, of: object = {}) =>
  merchant.sale({
    externalId,
    customerExternalId: `user_${externalId}`,
    clickId: await merchant.click(),
    ...of,
  })
