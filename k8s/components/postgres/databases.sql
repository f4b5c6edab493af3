-- One database for each service.
CREATE DATABASE gatepost_auth;
CREATE DATABASE gatepost_shortener;
