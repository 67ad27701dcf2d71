import { rpc } from '../../http/rpc/rpc.ts'
import type { ReportsService } from './purchases.rpc.ts'

/** The Worker that plans purchases. A call of it that fails is answered with 503. */
export const purchasesOf = (worker: string, service: ReportsService): ReportsService => ({
  joinReport: (...args) => rpc(worker, service.joinReport(...args)),
  decideHolds: (...args) => rpc(worker, service.decideHolds(...args)),
})
