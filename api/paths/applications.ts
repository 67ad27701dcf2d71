import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { ApplicationResponse } from '../../lib/applications/applications.responses.ts'
import { ApplicationQuery } from '../../lib/applications/applications.schemas.ts'
import { get, list, WORKSPACE } from '../operations.ts'

export const applications: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/applications`]: {
    get: list('List applications', ApplicationResponse, ApplicationQuery),
  },
  [`${WORKSPACE}/applications/{id}`]: {
    get: get('Get an application', ApplicationResponse),
  },
}
