mod authorize;
mod cascade;
mod metadata;
mod races;
mod register;
mod storage;
mod token;
