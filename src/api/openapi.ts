export async function openApiDocument(_: { baseUrl: string; appUrl: string; serviceName: string }): Promise<object> { return {} }
