// What a bundler does for its programs and Node does not: a package's file is found without its extension.

export const resolve = async (specifier, context, next) => {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    return next(`${specifier}.js`, context);
  }
};
